"""Making the calls of the table, and undoing them."""

import copy
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from rest_framework.test import APIClient

from postern.foundation.rest import memo
from writes.case import Values, Write, filled
from writes.world import World


@contextmanager
def undone() -> Iterator[None]:
    """Whatever happens inside leaves nothing behind: no row, and nothing that the process remembers of it."""
    point = transaction.savepoint()
    try:
        yield
    finally:
        connection.needs_rollback = False
        transaction.savepoint_rollback(point)
        # Otherwise each further savepoint lies inside this one, and PostgreSQL searches them all for each row it reads.
        transaction.savepoint_commit(point)
        cache.clear()
        memo.forget_all()


@dataclass
class Trial:
    """A case, ready to be called: as often as one likes, each time as if for the first time (apart from the rows)."""

    write: Write
    values: Values
    client: APIClient

    @property
    def url(self) -> str:
        """The path with its arguments, and the query."""
        found = re.sub(
            r"<(?:int:)?(\w+)>", lambda name: str(filled(self.write.at[name[1]], self.values)), self.write.path
        )
        return f"{found}?{filled(self.write.query, self.values)}" if self.write.query else found

    def call(self) -> Any:
        """The answer, read to its end. Cookies that it sets are ignored."""
        return self.call_with(self.body)

    @property
    def body(self) -> Any:
        """The body with its values."""
        return filled(self.write.body, self.values)

    def call_with(self, body: Any) -> Any:
        """The same call with another body."""
        answer = self._call(body)
        if answer.streaming:
            for _piece in answer.streaming_content:
                pass
        return answer

    def _call(self, body: Any) -> Any:
        cookies = copy.deepcopy(self.client.cookies)
        headers = {name: filled(text, self.values) for name, text in self.write.headers.items()}
        try:
            if self.write.method == "GET":
                token = cookies["csrftoken"].value if "csrftoken" in cookies else ""
                return self.client.get(self.url, headers={"X-CSRFToken": token} if token else headers)
            if isinstance(body, bytes):
                return self.client.generic(
                    self.write.method, self.url, cast("Any", body), content_type=self.write.format, headers=headers
                )
            send = getattr(self.client, self.write.method.lower())
            if self.write.format == "multipart":
                return send(self.url, _files(body), format="multipart", headers=headers)
            text = json.dumps(
                {} if body is None else body, default=str
            )  # as any client may write it, lone surrogates too
            return send(self.url, text, content_type="application/json", headers=headers)
        finally:
            self.client.cookies = cookies


def _files(body: dict[str, Any]) -> dict[str, Any]:
    return {
        name: SimpleUploadedFile(f"{name}.bin", value) if isinstance(value, bytes) else value
        for name, value in body.items()
    }


def prepared(write: Write, world: World) -> Trial:
    """Everything that the call needs is there."""
    more = dict(write.prepare(world)) if write.prepare is not None else {}
    client = more.pop("client", None) or world.client(write.caller)
    return Trial(write, {**world.values, **more}, client)
