"""The job that reads stored recordings and indexes their lines for the search."""
