"""The licence: a signed file that opens the licensed features."""
