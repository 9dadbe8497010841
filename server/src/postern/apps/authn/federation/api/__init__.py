"""Fields that the forms of all protocols have."""
