"""The processes of an installation, and whether they are well."""
