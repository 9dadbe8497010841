"""Websockets of the control plane."""
