"""Which permissions and people nobody needs any more: unused, expired and soon expiring grants."""
