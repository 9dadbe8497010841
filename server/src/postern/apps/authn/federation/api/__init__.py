"""The common part of the API of all protocols."""
