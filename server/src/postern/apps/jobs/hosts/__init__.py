"""Work on hosts: what kinds of jobs that connect to hosts share."""
