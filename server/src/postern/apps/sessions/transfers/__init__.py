"""File transfers: which files were moved or changed in a session."""
