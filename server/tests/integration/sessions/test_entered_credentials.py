"""Credentials that users enter beforehand (temp-auth): stored for five minutes, for one session, sealed, audited."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_system_user
from factories.proxy_client import Proxy, World
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.entered_credentials import actions
from postern.apps.sessions.models import EnteredCredential, Session
from postern.apps.users.models import User
from postern.apps.vault.models import SealedSecret, SystemUser
from postern.contracts import access, events
from postern.contracts.enums import DenialCode
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from writes.database import table_names

pytestmark = pytest.mark.django_db

CANARY = "canary 77 entered  "


@pytest.fixture
def manual(world: World) -> World:
    """The system user of the world asks for name and password."""
    SystemUser.objects.update(login_mode="manual", username="")
    return world


def url(system_user_id: Any) -> str:
    return f"/api/v1/assets/system-users/{system_user_id}/temp-auth/"


def enter(client: APIClient, world: World, **more: Any) -> Any:
    body = {"instance_id": str(world.asset.pk), "username": "carol", "password": CANARY, **more}
    return client.post(url(world.system_user.pk), body, format="json")


def opened(proxy: Proxy, world: World, user: User | None = None, asset: str = "web-1") -> access.SessionGrant:
    answer = proxy.authorize(user or world.user, asset)
    assert answer.grant is not None, answer
    return answer.grant


@pytest.mark.spec("S3-036", "S5-040", "S5-041")
def test_next_session_gets_the_credential_and_no_other_one(proxy: Proxy, manual: World, as_user: APIClient) -> None:
    before = opened(proxy, manual)
    answer = enter(as_user, manual)
    assert (answer.status_code, answer.json()) == (201, {"expires_in": 300})
    first, second = opened(proxy, manual), opened(proxy, manual)
    assert (before.manual, before.entered, before.login_name) == (True, False, "")
    assert (first.manual, first.entered, first.login_name) == (True, True, "carol")
    released = proxy.credential(first.session_id).credential
    assert released == access.Credential(login_name="carol", password=CANARY)
    assert released.password == CANARY
    refused = proxy.credential(second.session_id)
    assert refused.credential is None
    assert refused.denial is not None
    assert refused.denial.code is DenialCode.CREDENTIAL_MISSING
    assert opened(proxy, manual).entered is False
    assert Session.objects.get(pk=first.session_id).login_name == "carol"


def test_password_is_in_no_answer_audit_row_or_table(proxy: Proxy, manual: World, as_user: APIClient) -> None:
    said = [enter(as_user, manual).content.decode(), as_user.options(url(manual.system_user.pk)).content.decode()]
    said.append(enter(as_user, manual, username="carol", password=CANARY, instance_id="no id").content.decode())
    proxy.credential(opened(proxy, manual).session_id)
    said.append(json.dumps(list(AuditEvent.objects.values_list("old", "new", "resource")), default=str))
    with connection.cursor() as cursor:
        for table in table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608 - names from the database itself
            said.extend(str([bytes(v) if isinstance(v, memoryview) else v for v in row]) for row in cursor.fetchall())
    assert not any(CANARY.strip() in text for text in said)
    kept, released = (AuditEvent.objects.get(event=name) for name in ("entered_credential.kept", "credential.released"))
    assert (kept.user, kept.new["login_name"], kept.new["password"]) == ("Uma(uma)", "carol", "******")
    assert kept.resource == "root of web@web-1"
    assert released.new["login_name"] == "carol"


def test_another_user_asset_or_system_user_gets_nothing(
    proxy: Proxy, manual: World, as_user: APIClient, people: dict[str, User]
) -> None:
    asset = make_asset("web-2", ip="127.0.0.1")
    other = make_system_user("other", username="", login_mode="manual")
    grant(
        "all",
        users=[manual.user, people["auditor"]],
        assets=[manual.asset, asset],
        system_users=[manual.system_user, other],
    )
    assert enter(as_user, manual).status_code == 201
    assert opened(proxy, manual, people["auditor"], f"{manual.asset.pk}").entered is False
    assert opened(proxy, manual, asset="web-2").entered is False
    answer = proxy.authorize(manual.user, "web-1", system_user="other")
    assert answer.grant is not None
    assert answer.grant.entered is False
    assert proxy.credential(answer.grant.session_id).credential is None


def test_without_a_permission_nothing_is_kept_and_nothing_told(manual: World, as_user: APIClient) -> None:
    hidden = make_asset("hidden")
    there = enter(as_user, manual, instance_id=str(hidden.pk))
    nowhere = enter(as_user, manual, instance_id=str(uuid4()))
    nobody = as_user.post(
        url(uuid4()), {"instance_id": str(manual.asset.pk), "username": "x", "password": "y"}, format="json"
    )
    assert (there.status_code, nowhere.status_code, nobody.status_code) == (403, 403, 403)
    assert not EnteredCredential.objects.exists()
    assert AuditEvent.objects.filter(event="entered_credential.refused").count() == 3


def test_values_must_fit_the_system_user(world: World, as_user: APIClient) -> None:
    stored = enter(as_user, world)
    assert (stored.status_code, next(iter(stored.json()))) == (400, "instance_id")
    SystemUser.objects.update(login_mode="manual")
    assert "username" in enter(as_user, world, username="carol").json()
    assert enter(as_user, world, username="").status_code == 201
    assert EnteredCredential.objects.get().login_name == "root"
    SystemUser.objects.update(username="")
    assert "username" in enter(as_user, world, username="").json()
    assert "password" in enter(as_user, world, password="").json()
    SystemUser.objects.update(username_same_with_user=True)
    assert enter(as_user, world, username="").status_code == 201
    assert EnteredCredential.objects.get().login_name == world.user.username


def test_it_ends_after_five_minutes_and_is_deleted_with_its_secret(
    proxy: Proxy, manual: World, as_user: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(as_user, manual)
    row = EnteredCredential.objects.get()
    early = opened(proxy, manual)
    assert actions.purge() == 0
    EnteredCredential.objects.update(date_expired=row.date_created)
    assert row.date_expired - row.date_created == timedelta(seconds=300)
    assert opened(proxy, manual).entered is False
    assert proxy.credential(early.session_id).credential is None
    secrets = SealedSecret.objects.filter(row_id=row.pk)
    assert secrets.count() == 1
    assert actions.purge() == 1
    assert not secrets.exists()
    assert not EnteredCredential.objects.exists()


def test_it_is_void_once_all_access_of_the_user_was_ended(proxy: Proxy, manual: World, as_user: APIClient) -> None:
    enter(as_user, manual)
    User.objects.filter(pk=manual.user.pk).update(session_epoch=manual.user.session_epoch + 1)
    held = EnteredCredential.objects.get()
    taken = actions.take(
        session_id=uuid4(), user_id=held.user_id, asset_id=held.asset_id, system_user_id=held.system_user_id
    )
    assert taken is None


def test_lost_answer_is_given_again_to_the_same_attempt(proxy: Proxy, manual: World, as_user: APIClient) -> None:
    enter(as_user, manual)
    session_id = opened(proxy, manual).session_id
    request = access.CredentialRequest(
        session_id=session_id, opening_key=proxy.opening_key(session_id), attempt="a" * 32
    )
    answers = [proxy.ask(access.CREDENTIAL, request, access.CredentialAnswer) for _ in range(2)]
    assert [answer.credential is not None for answer in answers] == [True, True]
    assert AuditEvent.objects.filter(event="credential.released").count() == 1


def test_entering_again_replaces_it(proxy: Proxy, manual: World, as_user: APIClient) -> None:
    enter(as_user, manual)
    enter(as_user, manual, username="dave", password="second")
    grant_ = opened(proxy, manual)
    assert proxy.credential(grant_.session_id).credential == access.Credential(login_name="dave", password="second")
    assert EnteredCredential.objects.count() == 1
    assert SealedSecret.objects.filter(table="sessions_enteredcredential").count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_session_of_many_at_once_gets_it(proxy: Proxy, manual: World, as_user: APIClient) -> None:
    enter(as_user, manual)
    held = EnteredCredential.objects.get()

    def take(session_id: UUID) -> bool:
        try:
            with transaction.atomic():
                taken = actions.take(
                    session_id=session_id,
                    user_id=held.user_id,
                    asset_id=held.asset_id,
                    system_user_id=held.system_user_id,
                )
            return taken is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, [uuid4() for _ in range(20)])) == 1


KEPT = "/api/v1/assets/entered-credentials/"


def test_list_shows_what_waits_for_a_session_and_forgetting_deletes_it(
    proxy: Proxy, manual: World, as_user: APIClient
) -> None:
    enter(as_user, manual)
    [row] = as_user.get(KEPT).json()
    assert {name: row[name] for name in ("asset", "asset_display", "system_user_display", "username")} == {
        "asset": str(manual.asset.pk),
        "asset_display": "web-1",
        "system_user_display": manual.system_user.name,
        "username": "carol",
    }
    assert CANARY.strip() not in str(row)
    assert as_user.get(f"{KEPT}?asset={uuid4()}").json() == []
    assert as_user.get(f"{KEPT}?asset={manual.asset.pk}&system_user={manual.system_user.pk}").json() == [row]
    assert as_user.delete(f"{KEPT}{row['id']}/").status_code == 204
    assert as_user.delete(f"{KEPT}{row['id']}/").status_code == 404
    assert as_user.get(KEPT).json() == []
    assert not SealedSecret.objects.filter(row_id=row["id"]).exists()
    assert opened(proxy, manual).entered is False
    told = AuditEvent.objects.get(event="entered_credential.forgotten")
    assert (told.user, told.old) == ("Uma(uma)", {"login_name": "carol", "password": "******"})
    assert told.resource == f"{manual.system_user.name}@web-1"


def test_what_was_used_has_expired_or_is_void_is_neither_shown_nor_forgotten(
    proxy: Proxy, manual: World, as_user: APIClient
) -> None:
    enter(as_user, manual)
    held = EnteredCredential.objects.get()
    first = opened(proxy, manual)
    assert proxy.credential(first.session_id).credential is not None
    assert as_user.get(KEPT).json() == []
    assert as_user.delete(f"{KEPT}{held.pk}/").status_code == 404
    changes: tuple[dict[str, Any], ...] = (
        {"used_by": None, "date_expired": held.date_created},
        {"date_expired": held.date_expired, "epoch": (held.epoch or 0) + 1},
    )
    for change in changes:
        EnteredCredential.objects.update(**change)
        assert as_user.get(KEPT).json() == []
        assert as_user.delete(f"{KEPT}{held.pk}/").status_code == 404
    EnteredCredential.objects.update(epoch=held.epoch)
    assert len(as_user.get(KEPT).json()) == 1


def test_nobody_else_sees_or_forgets_it(
    manual: World, as_user: APIClient, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    enter(as_user, manual)
    held = EnteredCredential.objects.get()
    for name in ("admin", "auditor"):
        client = client_of(people[name])
        assert client.get(KEPT).json() == []
        assert client.get(f"{KEPT}{held.pk}/").status_code == 404
        assert client.delete(f"{KEPT}{held.pk}/").status_code == 404
    with pytest.raises(EnteredCredential.DoesNotExist):
        actions.forget(actor=SYSTEM, credential_id=held.pk)
    assert EnteredCredential.objects.count() == 1


def test_account_that_was_entered_while_connecting_is_the_sessions_login_name(proxy: Proxy, manual: World) -> None:
    session_id = opened(proxy, manual).session_id
    proxy.beat(session_id)
    proxy.tell(
        events.SessionStarted(session_id=session_id, at=clock.now(), kind="shell", login_name="dave\0" + "x" * 200)
    )
    assert Session.objects.get(pk=session_id).login_name == ("dave" + "x" * 200)[:128]
    assert AuditEvent.objects.get(event="session.started").new["login_name"].startswith("dave")


def test_proxy_cannot_rename_the_account_of_a_stored_credential(proxy: Proxy, world: World) -> None:
    session_id = opened(proxy, world).session_id
    proxy.beat(session_id)
    proxy.tell(events.SessionStarted(session_id=session_id, at=clock.now(), kind="shell", login_name="dave"))
    assert Session.objects.get(pk=session_id).login_name == "root"
