"""System users and their secrets, sealed at rest and write-only on the wire."""
