"""The wire of the vault: translation only. No answer carries a secret."""
