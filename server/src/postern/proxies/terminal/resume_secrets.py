"""Hashes of the secrets with which a browser may resume its session."""

from postern.kernel import ids


class ResumeSecrets:
    """Each link gets a new secret."""

    def __init__(self) -> None:
        self._hash = ""
        #: The previous secret stays valid until the browser has shown that it received the new secret.
        self.spent_hash = ""

    def renew(self) -> str:
        """Return a new secret, and forget the secret before."""
        secret = ids.new_token()
        self._hash = ids.token_hash(secret)
        return secret

    def spend(self, secret: str) -> None:
        """Note that a link resumes with `secret`, which stays valid until the link is used."""
        self.spent_hash = ids.token_hash(secret)

    def is_newest(self, secret: str) -> bool:
        """Whether no later secret was made."""
        return ids.token_hash(secret) == self._hash

    def accepts(self, secret: str) -> bool:
        """Whether a session may be resumed with `secret`."""
        secret_hash = ids.token_hash(secret)
        return any(known != "" and ids.same(secret_hash, known) for known in (self._hash, self.spent_hash))
