"""Codes for SSH: a user who is signed in with a browser gets a code, and enters it as the password in an SSH client."""
