"""Puzzles: proof of work that a browser sends before the server compares a password or mails a link."""
