"""Puzzles: a proof of work that a browser shows before the server compares a password or mails a link."""
