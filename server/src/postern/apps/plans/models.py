"""Access plans have no tables: a plan is a file of its organization, and what it changes belongs to other apps."""
