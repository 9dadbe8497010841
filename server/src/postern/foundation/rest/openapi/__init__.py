"""The description of the API (OpenAPI 3), made from the views themselves, and the pages that show it."""
