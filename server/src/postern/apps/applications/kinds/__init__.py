"""The types of applications: one declaration for each. Validation, forms and masking follow from it."""
