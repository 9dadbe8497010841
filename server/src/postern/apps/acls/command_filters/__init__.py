"""Command filters: rules about the commands that users of a system user may run in sessions."""
