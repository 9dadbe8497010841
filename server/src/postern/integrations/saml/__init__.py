"""SAML 2.0: documents, signatures, answers of a provider, requests to it, metadata, and signing out."""
