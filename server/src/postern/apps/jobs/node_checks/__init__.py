"""The job that checks the node tree of an organization."""
