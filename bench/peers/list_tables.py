"""Fills the tables of all lists of an installation, or reports what their pages read.

    list_tables.py fill ROWS PERMISSIONS LOG_ROWS
    list_tables.py survey

with POSTERN_HOME set (and DATABASE_URL for PostgreSQL). `survey` prints JSON: for each list its path, address and query, the rows of
its table, the SQL queries of a page, and the instructions that SQLite's machine took for them.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "server" / "tests"))

from postern.foundation import django_settings

django_settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
django_settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

import django  # noqa: E402 - needs the settings

django.setup()

from django.db import connection  # noqa: E402 - needs the app registry
from django.test.utils import CaptureQueriesContext  # noqa: E402 - needs the app registry
from many_assets import make_administrator  # noqa: E402 - needs the app registry
from rest_framework.test import APIClient  # noqa: E402 - needs the app registry

from factories.lists import FilledLists, Steps, counted_steps, list_routes, named_ids  # noqa: E402 - needs the app registry
from postern.apps.users.models import User  # noqa: E402 - needs the app registry

_LOGS: Final = (
    "audits.AuditEvent",
    "audits.LoginLog",
    "audits.PasswordChangeLog",
    "sessions.Command",
    "sessions.FileTransfer",
    "sessions.Session",
)
#: Models of which an installation never has many rows.
_FEW: Final = ("authn.OpenidProvider", "authn.SamlProvider", "orgs.Organization", "sessions.Terminal")
_FEW_ROWS: Final = 200


def fill(rows: int, permissions: int, log_rows: int) -> None:
    counts = {"perms.AssetPermission": permissions, **dict.fromkeys(_LOGS, log_rows), **dict.fromkeys(_FEW, _FEW_ROWS)}
    FilledLists(make_administrator()).fill(counts, rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def survey() -> list[dict[str, Any]]:
    admin = User.objects.get(username="bench")
    client = APIClient(SERVER_NAME="127.0.0.1")
    client.force_authenticate(admin)
    ids, lists = named_ids(admin), []
    for route in list_routes():
        url, query = route.url(ids), route.query(ids=ids)
        client.get(url, query)
        steps = Steps()
        with CaptureQueriesContext(connection) as queries:
            if connection.vendor == "sqlite":
                with counted_steps() as steps:
                    client.get(url, query)
            else:
                client.get(url, query)
        known = {"path": route.path, "url": url, "query": query, "rows": route.model._default_manager.count()}  # noqa: SLF001 - the documented model API
        known |= {"queries": len(queries), "steps": steps.count, "searches": bool(route.view.search_fields)}
        lists.append(known)
    return lists


if __name__ == "__main__":
    if sys.argv[1] == "fill":
        fill(*map(int, sys.argv[2:]))
    else:
        print(json.dumps(survey()))
