"""Client of HashiCorp Vault. Import `client` only where Vault is configured: `hvac` and `requests` cost 8 MB of memory."""
