"""Second factors: authenticator apps, recovery codes, and sign-ins that wait for a code."""
