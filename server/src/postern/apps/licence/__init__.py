"""The licence: a signed file that enables the licensed features."""
