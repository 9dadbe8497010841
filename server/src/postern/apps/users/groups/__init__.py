"""Groups of people within one organization."""
