"""When people last used permissions."""
