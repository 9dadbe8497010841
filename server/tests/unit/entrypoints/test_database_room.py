"""The number of web processes fits into the connections of PostgreSQL.

With too many processes, requests would fail for lack of a connection at the busiest time.
"""

import logging

import pytest

from postern.entrypoints.web.database_room import Share, affordable, share_of
from postern.foundation.database.connections import DATABASE_CONNECTIONS
from postern.foundation.settings import Settings
from postern.kernel.errors import SettingsError


@pytest.mark.parametrize(("room", "wanted", "started"), [(97, 4, 4), (97, 5, 4), (97, 32, 4), (26, 1, 1), (44, 4, 2)])
def test_only_as_many_processes_are_started_as_have_connections(room: int, wanted: int, started: int) -> None:
    assert share_of(room, wanted=wanted) == Share(started, DATABASE_CONNECTIONS)


@pytest.mark.parametrize(("room", "connections"), [(25, 17), (20, 12), (16, 9), (15, 9), (13, 9)])
def test_small_server_gets_one_process_with_a_smaller_pool(
    room: int, connections: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert share_of(room, wanted=4) == Share(1, connections)
    assert f"1 are started, with up to {connections} each" in caplog.text
    assert "max_connections" in caplog.text


def test_fewer_processes_than_configured_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        share_of(97, wanted=32)
    assert "32 web processes need" in caplog.text
    assert "max_connections" in caplog.text


def test_start_is_refused_when_no_process_has_enough_connections() -> None:
    with pytest.raises(SettingsError, match="Raise max_connections"):
        share_of(12, wanted=1)


def test_sqlite_has_no_connection_limit() -> None:
    assert affordable(Settings.load({"POSTERN_WEB_PROCESSES": "32"})).processes == 32


def test_unreachable_database_does_not_prevent_the_start() -> None:
    away = Settings.load({"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "POSTERN_WEB_PROCESSES": "3"})
    assert affordable(away) == Share(3)
