"""File transfers: the files that were transferred or changed in a session."""
