"""The tables of application permissions, and the objects they name."""
