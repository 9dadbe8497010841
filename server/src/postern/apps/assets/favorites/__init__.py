"""Favourite assets of users."""
