"""Fixtures: a registered proxy, a user with a permission, and sessions in each state."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from files_page import FilesPage
from live import PASSWORD, LiveServer, sign_in

from factories.grants import grant, make_asset, make_system_user
from factories.proxy_client import Proxy, World
from integration.sessions.bundle_tools import store_recording, wanted
from integration.sessions.test_evidence_chain import end, tell_rows
from peers.redis_server import RedisServer
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.bundles.actions import export
from postern.apps.sessions.indexing import actions as indexing
from postern.apps.sessions.models import Session
from postern.apps.users.models import User
from postern.integrations.replay_storages.local_folder import LocalFolder
from unit.contracts.recording.golden import KEY

RECORDINGS = Path(__file__).parents[2] / "fixtures" / "recordings"


@pytest.fixture
def http() -> Client:
    return Client(raise_request_exception=True)


@pytest.fixture
def proxy(db: None, http: Client) -> Proxy:
    return Proxy(http)


@pytest.fixture
def other_proxy(db: None, http: Client) -> Proxy:
    return Proxy(http, "proxy-2")


@pytest.fixture
def world(people: dict[str, User]) -> World:
    asset = make_asset("web-1", ip="127.0.0.1")
    system_user = make_system_user("root of web", username="root", password="the secret of web-1")
    permission = grant("to web-1", users=[people["user"]], assets=[asset], system_users=[system_user])
    return World(people["user"], asset, system_user, permission)


@pytest.fixture
def opened(proxy: Proxy, world: World) -> Session:
    """A session in state `opening`."""
    answer = proxy.authorize(world.user, "web-1")
    assert answer.grant is not None, answer
    return Session.objects.get(pk=answer.grant.session_id)


@pytest.fixture
def active(proxy: Proxy, opened: Session) -> Session:
    """A session in state `active`."""
    proxy.beat(opened.pk)
    proxy.start(opened.pk, recording=True)
    opened.refresh_from_db()
    return opened


@pytest.fixture
def audit_events() -> Callable[[], list[str]]:
    """The names of all audit events so far, oldest first."""
    return lambda: list(AuditEvent.objects.order_by("datetime", "sequence").values_list("event", flat=True))


@pytest.fixture
def content() -> bytes:
    return (RECORDINGS / "shell.postern").read_bytes()


@pytest.fixture
def replayed(proxy: Proxy, world: World, content: bytes, settings: Any, tmp_path: Path) -> Session:
    """A session whose recording is stored and sealed with the key of this installation."""
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    described = json.loads((RECORDINGS / "shell.json").read_text())
    session_id = UUID(described["manifest"]["session_id"])
    Session.objects.filter(pk=grant.session_id).update(id=session_id)  # the session id in the recording file
    proxy.start(session_id, recording=True)
    manifest = described["manifest"]
    proxy.seal(
        session_id, content, chain=manifest["chain"], key_id=manifest["key_id"], duration_ms=manifest["duration_ms"]
    )
    assert proxy.put(session_id, content, 0, len(content)).json()["stored"] is True
    settings.POSTERN = replace(settings.POSTERN, home=tmp_path)
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    (secrets / "recording_signing_key.pub").write_text(described["public_key"] + "\n")
    return Session.objects.get(pk=session_id)


@pytest.fixture(autouse=True)
def replay_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stores the recordings of a test in its own folder."""
    root = tmp_path / "replays"
    local = LocalFolder(root)
    for module in ("recordings.api", "viewings.opening"):
        monkeypatch.setattr(f"postern.apps.sessions.{module}.replay_storage", lambda: local)
    return root


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server
    server.stop()


@pytest.fixture
def channels_over_redis(redis_server: RedisServer, settings: Any) -> None:
    """Uses the Redis channel layer, as in production: messages cross threads and processes."""
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [redis_server.url]}}
    }


@pytest.fixture
def live(transactional_db: None, channels_over_redis: None) -> Iterator[LiveServer]:
    server = LiveServer()
    yield server
    server.stop()


@pytest.fixture
def bundle_home(settings: Any, tmp_path: Path) -> Path:
    """A data folder of its own: checkpoints, keys, recordings."""
    settings.POSTERN = replace(settings.POSTERN, home=tmp_path)
    secrets = tmp_path / "secrets"
    secrets.mkdir(exist_ok=True)
    (secrets / "recording_signing_key.pub").write_text(KEY.public.hex() + "\n")
    return tmp_path


@pytest.fixture
def ended(bundle_home: Path, proxy: Proxy, active: Session, tmp_path: Path) -> Session:
    """A session that has ended, with rows and a sealed recording."""
    tell_rows(proxy, active)
    store_recording(proxy, active.pk, tmp_path)
    tell_rows(proxy, active)
    end(proxy, active)
    return active


@pytest.fixture
def bundle(ended: Session, tmp_path: Path) -> bytes:
    exported = export(wanted(), tmp_path / "bundle.tar")
    assert (exported.missing, exported.faults, exported.recordings, exported.sessions) == ((), (), 1, 1)
    return (tmp_path / "bundle.tar").read_bytes()


@pytest.fixture
def index(replay_folder: Path) -> Callable[[], int]:
    """Indexes what is due."""
    return lambda: indexing.index_due(local=LocalFolder(replay_folder), limit_s=60)


@pytest.fixture
def browser(make_user: Callable[..., User]) -> Client:
    """Ann's browser, signed in through the real form, with the console in English."""
    user = make_user("ann")
    user.set_password(PASSWORD)
    user.save()
    client = Client()
    sign_in(client)
    client.cookies["django_language"] = "en"
    return client


@pytest.fixture
def files_page(live: LiveServer, proxy: Proxy, browser: Client, tmp_path: Path) -> FilesPage:
    path = tmp_path / "files.sock"
    proxy.beat(files_address=f"unix:{path}")
    return FilesPage(live, proxy, browser, path)
