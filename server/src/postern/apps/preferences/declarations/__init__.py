"""The declarations of settings: one module for each form, and one for settings without a form."""
