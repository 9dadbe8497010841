"""Labels that assets carry."""
