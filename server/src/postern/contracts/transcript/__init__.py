"""A recording as the text that was on its screen."""
