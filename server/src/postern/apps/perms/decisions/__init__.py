"""Whether somebody may use a system user on an asset now, with every reason."""
