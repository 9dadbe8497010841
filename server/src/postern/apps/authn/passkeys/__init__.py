"""Passkeys: credentials of WebAuthn, and the calls in which a browser makes or shows one."""
