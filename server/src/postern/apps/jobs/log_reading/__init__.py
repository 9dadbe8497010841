"""Reading the logs of jobs: in pieces, as a file, and as they grow."""
