"""The declarations of settings, one module for each form, and one for those that no form shows."""
