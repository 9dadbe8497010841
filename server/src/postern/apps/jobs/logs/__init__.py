"""Logs of jobs: files that grow while a job runs, and are compressed when it ends."""
