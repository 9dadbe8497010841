"""Sessions of service accounts, and the audit rows about them, name the kind of their user."""

import pytest
from rest_framework.test import APIClient

from factories.grants import grant
from factories.proxy_client import Proxy, World
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import Session
from postern.apps.users.facade import PersonInput, create_user
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

SESSIONS = "/api/v1/terminal/sessions/"


@pytest.fixture
def program(world: World) -> User:
    wish = PersonInput(columns={"kind": "service", "username": "ci", "name": "CI"})
    user = create_user(actor=SYSTEM, scope=OrgScope(DEFAULT_ORG_ID), person=wish).user
    grant("programs", users=[user], assets=[world.asset], system_users=[world.system_user])
    return user


def test_session_and_its_audit_rows(proxy: Proxy, world: World, program: User, as_auditor: APIClient) -> None:
    for user in (program, world.user):
        answer = proxy.authorize(user, "web-1")
        assert answer.grant is not None, answer
        proxy.beat(answer.grant.session_id)
        proxy.start(answer.grant.session_id, recording=True)
    refused = proxy.authorize(program, "nowhere")
    assert refused.denial is not None
    rows = AuditEvent.objects.filter(event__startswith="session.").values_list("user", "actor_kind", "event")
    kinds = {(user, kind) for user, kind, _event in rows}
    assert kinds == {("CI(ci)", "service"), ("Uma(uma)", "user")}
    assert {event for user, _kind, event in rows if user == "CI(ci)"} >= {"session.started", "session.refused"}
    listed = as_auditor.get(f"{SESSIONS}?actor_kind=service&limit=10").json()["results"]
    assert [(row["user"], row["actor_kind"]) for row in listed] == [("CI(ci)", "service")]
    assert Session.objects.filter(actor_kind="user").count() == 1
