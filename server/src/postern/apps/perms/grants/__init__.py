"""The tables of permissions, and the objects they name."""
