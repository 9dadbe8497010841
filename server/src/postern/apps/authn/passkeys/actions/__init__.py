"""WebAuthn requests to a browser, and checks of their answers."""
