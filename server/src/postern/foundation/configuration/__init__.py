"""Files, secrets and limits of the machine."""
