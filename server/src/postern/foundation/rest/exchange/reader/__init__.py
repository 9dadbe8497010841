"""Read one uploaded file in a child process under limits: `python -I -m postern.foundation.rest.exchange.reader`.

The child has no framework, no database and no secret. It gets the file on standard input and answers with JSON on
standard output.
"""
