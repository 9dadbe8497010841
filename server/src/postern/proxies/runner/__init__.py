"""The runner: connects to hosts for jobs, without Django, database or keys (`contracts.runner`)."""
