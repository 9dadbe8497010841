"""Searches inside recordings, as auditors and administrators make them."""

from typing import Any

from django.db import connection
from rest_framework.test import APIClient

HITS = "/api/v1/terminal/recording-hits/"


def found(client: APIClient, text: str, **params: Any) -> dict[str, Any]:
    headers = {name: params.pop(name) for name in list(params) if name.startswith("HTTP_")}
    answer = client.get(HITS, {"text": text, **params}, **headers)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def lines(client: APIClient, text: str, **params: Any) -> list[str]:
    return [hit["line"] for hit in found(client, text, **params)["results"]]


def grams() -> int:
    """Entries of the index of grams."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT coalesce(sum(cardinality(grams)), 0) FROM sessions_recordingpiece")
        else:
            cursor.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, sessions_recordinggrams, 'row')"
            )
            cursor.execute("SELECT coalesce(sum(doc), 0) FROM temp.terms")
        return int(cursor.fetchone()[0])
