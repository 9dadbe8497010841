"""Django's database session store, except that the table keeps only a hash of each session's key.

Whoever reads the table (a backup, a leak) can therefore not take over anybody's browser session. Set as SESSION_ENGINE.
"""

from functools import cache
from typing import Any

from django.contrib.sessions.backends.db import SessionStore as DatabaseSessionStore
from django.utils import timezone

from postern.foundation.database.prepared import PreparedObjects
from postern.kernel.ids import token_hash

_KEY_CHARS = 40  # the width of Django's column: 160 bits in hexadecimal


def stored_key(session_key: str) -> str:
    """What stands in the table for a session key."""
    return token_hash(f"web-session:{session_key}")[:_KEY_CHARS]


@cache
def _by_key(model: type[Any]) -> PreparedObjects[Any]:
    """A session by its stored key: every request asks for one."""
    return PreparedObjects(
        model, lambda session_key: model.objects.filter(session_key=session_key), stand_ins={"session_key": "stand-in"}
    )


class SessionStore(DatabaseSessionStore):
    """Sessions by hashed key. The asynchronous forms of the interface are not offered: nothing here calls them."""

    def _get_session_from_db(self) -> Any:
        key = self.session_key
        found = None
        if key:
            found = _by_key(self.model).first(session_key=stored_key(key))
        if found is None or found.expire_date <= timezone.now():
            found = None
            self._session_key = None
        return found

    def exists(self, session_key: str) -> bool:
        return super().exists(stored_key(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        instance = super().create_model_instance(data)
        instance.session_key = stored_key(instance.session_key)
        return instance

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key:
            super().delete(stored_key(key))
