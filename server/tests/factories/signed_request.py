"""Requests signed with an access key, as a user's program makes them."""

import base64
import hashlib
import hmac
from email.utils import format_datetime
from typing import Any

from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"


def signed(
    key_id: str,
    secret: str,
    path: str = PROFILE,
    *,
    method: str = "get",
    at: Any = None,
    headers: str = "(request-target) date",
    more: dict[str, str] | None = None,
) -> dict[str, str]:
    date = format_datetime(at or clock.now(), usegmt=True)
    lines = {"(request-target)": f"{method} {path}", "date": date, **(more or {})}
    text = "\n".join(f"{name}: {lines[name]}" for name in headers.split())
    signature = base64.b64encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()).decode()
    return {
        "HTTP_DATE": date,
        "HTTP_AUTHORIZATION": f'Signature keyId="{key_id}",algorithm="hmac-sha256",headers="{headers}",signature="{signature}"',
    }
