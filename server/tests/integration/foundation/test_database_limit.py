"""The number of web processes follows the limit of the PostgreSQL server."""

from dataclasses import replace

import pytest
from django.conf import settings
from django.db import connection

from postern.entrypoints.web.database_room import affordable
from postern.foundation.database.connections import DATABASE_CONNECTIONS


@pytest.mark.django_db
def test_limit_is_read_from_postgresql() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("on PostgreSQL only")
    with connection.cursor() as cursor:
        cursor.execute("SHOW max_connections")
        limit = int(cursor.fetchone()[0])
    processes = affordable(replace(settings.POSTERN, web_processes=10_000)).processes
    assert 1 <= processes <= limit // DATABASE_CONNECTIONS
