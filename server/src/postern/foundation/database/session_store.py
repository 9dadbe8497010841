"""Django's database session store, with hashed session keys in the table.

Somebody who reads the table (from a backup or a leak) cannot take over a browser session. Set as SESSION_ENGINE.
"""

from functools import cache, partial
from typing import Any

from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import get_random_string

from postern.foundation.database.prepared import PreparedObjects
from postern.kernel.ids import token_hash

_KEY_CHARS = 40  # length of Django's column: 160 bits in hexadecimal


def stored_key(session_key: str) -> str:
    """The value that the table holds for a session key."""
    return token_hash(f"web-session:{session_key}")[:_KEY_CHARS]


@cache
def _by_key(model: type[Any]) -> PreparedObjects[Any]:
    """The query for a session by its stored key, compiled once because every request runs it."""
    return PreparedObjects(
        model, lambda session_key: model.objects.filter(session_key=session_key), stand_ins={"session_key": "stand-in"}
    )


class SessionStore(DatabaseSessionStore):
    """Sessions by hashed key. The asynchronous methods are not supported, because nothing here calls them.

    A view may save the session in its own transaction. The middleware, which saves at the end of a request, then has
    nothing to write: that would be another transaction, and another flush to the disk.
    """

    #: Key and content of the last save that was committed.
    _saved: tuple[str | None, bytes] | None = None

    def _get_session_from_db(self) -> Any:
        key = self.session_key
        session_row = None
        if key:
            session_row = _by_key(self.model).first(session_key=stored_key(key))
        if session_row is None or session_row.expire_date <= timezone.now():
            session_row = None
            self._session_key = None
        return session_row

    def exists(self, session_key: str) -> bool:
        return _by_key(self.model).first(session_key=stored_key(session_key)) is not None

    def _get_new_session_key(self) -> str:
        """A random key, without Django's query whether it is taken: the insert refuses a key that exists."""
        return get_random_string(32, VALID_KEY_CHARS)

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        instance = super().create_model_instance(data)
        instance.session_key = stored_key(instance.session_key)
        return instance

    def save(self, must_create: bool = False) -> None:
        if must_create or self._content() != self._saved:
            super().save(must_create)
            transaction.on_commit(partial(self._remember_saved, self._content()))

    def _content(self) -> tuple[str | None, bytes]:
        return self.session_key, self.serializer().dumps(dict(self.items()))

    def _remember_saved(self, content: tuple[str | None, bytes]) -> None:
        self._saved = content

    def delete(self, session_key: str | None = None) -> None:
        self._saved = None
        key = session_key or self.session_key
        if key:
            super().delete(stored_key(key))
