"""Executions of tasks: a job and the outcome of each of its hosts."""
