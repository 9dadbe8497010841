"""Codes for SSH: a user who is signed in with a browser gets one, and enters it as the password of an SSH client."""
