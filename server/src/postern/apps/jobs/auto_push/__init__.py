"""Starts pushes by itself when accounts of system users with auto push belong on assets, or have changed."""
