"""Tasks of hosts and their versions (contract: ops, tasks and adhoc)."""
