"""The processes of an installation and their health."""
