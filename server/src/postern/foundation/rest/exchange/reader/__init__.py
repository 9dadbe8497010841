"""Reads one uploaded file, in a process of its own under limits (K72). `python -I -m postern.foundation.rest.exchange.reader`.

The child knows no framework, no database and no secret; it gets the file as its standard input and answers with JSON on its standard output.
"""
