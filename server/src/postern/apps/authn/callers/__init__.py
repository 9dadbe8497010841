"""Who makes a request, and whether anything must be put in order first."""
