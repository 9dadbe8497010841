"""The job center: tasks, their versions and executions, running a task again, and tasks that run by themselves."""
