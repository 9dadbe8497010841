"""How a proxy knows that a request comes from the web plane."""

from postern.contracts.files import files_key
from postern.contracts.terminals import Registered, hash_of_secret
from postern.kernel import ids


class WebPlane:
    """The key that the web plane shows with requests for files. It follows from the credential, and changes with it."""

    def __init__(self, credential: Registered) -> None:
        self._key = self._former = _key(credential)

    def use(self, credential: Registered) -> None:
        """Take a renewed credential. The former key stays: the web plane has the new one from the next heartbeat on."""
        self._key, self._former = _key(credential), self._key

    def is_known(self, shown: str) -> bool:
        """Whether this is the key of the web plane."""
        is_present, is_former = ids.same(shown, self._key), ids.same(shown, self._former)
        return is_present or is_former


def _key(credential: Registered) -> str:
    return files_key(hash_of_secret(credential.secret))
