"""The days of organizations, and what retention would delete now."""
