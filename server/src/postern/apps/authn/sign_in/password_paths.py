"""Paths of requests that hash passwords. Hashing is slow, so these requests have their own queue."""

from typing import Final

PATHS: Final = frozenset(
    {
        "/api/v1/authentication/sign-in/",
        "/api/v1/authentication/auth/",
        "/api/v1/authentication/tokens/",
        "/api/v1/authentication/set-password/",
        "/api/v1/authentication/password/verify/",
        "/api/v1/users/profile/password/",
    }
)
