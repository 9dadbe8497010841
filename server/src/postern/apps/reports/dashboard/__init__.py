"""The dashboard: figures of one organization, or of all, now and in the last days."""
