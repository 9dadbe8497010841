"""The digest of an audit event: HMAC-SHA-256 over its canonical JSON and the previous event's digest.

The key is stored outside the database. An attacker who can write to the database still cannot forge a valid chain.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from django.conf import settings

from postern.foundation.machine import secret_files
from postern.kernel.ids import new_token

GENESIS: Final = "0" * 64
COVERED: Final = (
    "id",
    "org_id",
    "sequence",
    "datetime",
    "event",
    "action",
    "actor_kind",
    "actor_id",
    "user",
    "remote_addr",
    "login_session",
    "resource_type",
    "resource_id",
    "resource",
    "old",
    "new",
    "previous",
)


def of_event(event: Any) -> str:
    """The digest of an event with all its columns set; 64 hex digits."""
    return _of_bytes(canonical(event, COVERED))


def canonical(event: Any, columns: Iterable[str]) -> bytes:
    """The canonical JSON of these columns of an event."""
    values = {name: _plain(getattr(event, name)) for name in columns}
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def of_text(text: str) -> str:
    """The MAC of any text under the log's key; 64 hex digits."""
    return _of_bytes(text.encode("utf-8", "surrogatepass"))


def _of_bytes(data: bytes) -> str:
    return hmac.new(_key(), data, hashlib.sha256).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if value is None or isinstance(value, int | str | list | dict):
        return value
    return str(value)


@cache
def _key() -> bytes:
    return secret_files.read_or_create(settings.POSTERN.secrets_dir / "audit.key", new_token).encode()
