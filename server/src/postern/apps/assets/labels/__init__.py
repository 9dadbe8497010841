"""Labels of assets."""
