"""Confirmations of commands that are being held in sessions."""
