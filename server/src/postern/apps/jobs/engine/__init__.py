"""The job engine: accepted jobs are rows, a worker claims them, and each reaches one final state."""
