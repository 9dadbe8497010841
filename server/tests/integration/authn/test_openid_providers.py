"""The resource of OpenID Connect providers: rights, destination of the secret, and the test of a form."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.browser import Browser
from factories.openid import PROVIDERS, Guest, form_of, save
from peers.openid_stand_in import CLIENT_ID, SECRET, OpenidStandIn, rsa_key, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import OpenidProvider
from postern.apps.authn.openid import provider_secrets
from postern.apps.users.models import User, UserGroup
from postern.apps.vault.models import SealedSecret
from postern.kernel.ids import DEFAULT_ORG_ID

TEST = f"{PROVIDERS}test/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def corp() -> Iterator[OpenidStandIn]:
    with serving(OpenidStandIn()) as running:
        yield running


@pytest.fixture
def admin(as_admin: APIClient) -> APIClient:
    as_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
    return as_admin


def stored() -> OpenidProvider:
    row: OpenidProvider = OpenidProvider.objects.get()
    return row


def test_provider_is_stored_changed_and_deleted_with_its_secret(admin: APIClient, corp: OpenidStandIn) -> None:
    made = save(admin, form_of(corp))
    assert "client_secret" not in made
    assert (made["has_secret"], made["order"], made["rules"]) == (True, 50, [])
    assert made["redirect_uri"].endswith("/core/auth/openid/corp/callback/")
    assert made["back_channel_logout_uri"].endswith("/core/auth/openid/corp/back-channel-logout/")
    row = stored()
    secret = provider_secrets.STORE.value.get(row.pk)
    assert secret is not None
    assert secret.reveal() == SECRET
    url = f"{PROVIDERS}{made['id']}/"
    changed = admin.patch(url, {"name": "Corp 2", "client_secret": ""}).json()
    assert (changed["name"], changed["has_secret"]) == ("Corp 2", True)
    assert admin.patch(url, {"client_secret": None}).json()["has_secret"] is False
    assert provider_secrets.STORE.value.get(row.pk) is None
    assert admin.patch(url, {"client_secret": "new"}).json()["has_secret"] is True
    assert admin.delete(url).status_code == 204
    assert not SealedSecret.objects.filter(table="authn_openidprovider").exists()
    kinds = list(AuditEvent.objects.filter(event__startswith="openidprovider.").values_list("event", flat=True))
    assert len(kinds) == 5
    assert SECRET not in str(list(AuditEvent.objects.values()))


def test_secret_is_sent_only_to_its_issuer_and_client(admin: APIClient, corp: OpenidStandIn) -> None:
    made = save(admin, form_of(corp))
    url = f"{PROVIDERS}{made['id']}/"
    with serving(OpenidStandIn()) as elsewhere:
        for change in ({"issuer": elsewhere.issuer}, {"client_id": "another"}):
            answer = admin.patch(url, change)
            assert (answer.status_code, list(answer.json())) == (400, ["client_secret"])
            entered = {"id": made["id"], "slug": "corp", "issuer": corp.issuer, "client_id": CLIENT_ID, **change}
            answer = admin.post(TEST, entered)
            assert (answer.status_code, list(answer.json())) == (400, ["client_secret"])
        assert elsewhere.asked == []
        assert admin.patch(url, {"issuer": elsewhere.issuer, "client_secret": "another"}).status_code == 200
    assert stored().issuer == elsewhere.issuer


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"issuer": "http://corp.example"}, "issuer"),
        ({"issuer": "https://u:p@corp.example"}, "issuer"),
        ({"issuer": "https://corp.example/?a=b"}, "issuer"),
        ({"issuer": "javascript:alert(1)"}, "issuer"),
        ({"issuer": "https://["}, "issuer"),
        ({"slug": "Corp"}, "slug"),
        ({"slug": "login"}, "slug"),
        ({"slug": "a/b"}, "slug"),
        ({"slug": "-a"}, "slug"),
        ({"slug": "a" * 21}, "slug"),
        ({"scopes": "profile"}, "scopes"),
        ({"rules": [{"claim": "g", "value": "x"}]}, "rules"),
        ({"rules": [{"claim": "g", "value": "x", "role": "Root"}]}, "rules"),
        ({"rules": [{"claim": "g", "value": "x", "group": "00000000-0000-0000-0000-000000000009"}]}, "rules"),
        ({"rules": [{"claim": "g", "value": "x", "role": "User", "group": None}] * 201}, "rules"),
        ({"username_claim": ""}, "username_claim"),
        ({"order": 1001}, "order"),
        ({"name": "a\u202eb"}, "name"),
    ],
)
def test_invalid_provider_values_are_refused(
    admin: APIClient, corp: OpenidStandIn, change: dict[str, Any], field: str
) -> None:
    answer = admin.post(PROVIDERS, {**form_of(corp), **change})
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    assert not OpenidProvider.objects.exists()


def test_names_are_unique_and_the_slug_cannot_be_changed(admin: APIClient, corp: OpenidStandIn) -> None:
    made = save(admin, form_of(corp))
    assert list(admin.post(PROVIDERS, form_of(corp, slug="other")).json()) == ["name"]
    assert list(admin.post(PROVIDERS, form_of(corp, name="Other")).json()) == ["slug"]
    assert list(admin.patch(f"{PROVIDERS}{made['id']}/", {"slug": "other"}).json()) == ["slug"]


def test_number_of_providers_is_limited_to_twenty(admin: APIClient, corp: OpenidStandIn) -> None:
    for number in range(20):
        save(admin, form_of(corp, name=f"P {number}", slug=f"p-{number}", client_secret=""))
    assert list(admin.post(PROVIDERS, form_of(corp)).json()) == ["name"]


def test_k35_only_super_administrators_write_and_read_them(
    corp: OpenidStandIn, make_user: Callable[..., User], as_org_admin: APIClient, as_auditor: APIClient
) -> None:
    for client in (as_org_admin, as_auditor):
        assert client.get(PROVIDERS).status_code == 403
        assert client.post(PROVIDERS, form_of(corp)).status_code == 403
        assert client.post(TEST, form_of(corp)).status_code == 403
    assert corp.asked == []


def test_valid_form_passes_the_test_before_it_is_saved(admin: APIClient, corp: OpenidStandIn) -> None:
    answer = admin.post(TEST, {**form_of(corp), "signs_out": True}, HTTP_PREFER="")
    assert answer.status_code == 200, answer.content
    assert "it knows the client" in answer.json()["msg"]
    assert corp.asked == ["openid-configuration", "jwks", "token"]
    assert not OpenidProvider.objects.exists()
    corp.metadata["end_session_endpoint"] = None
    del corp.metadata["end_session_endpoint"]
    event = AuditEvent.objects.get(event="settings.provider_tested")
    assert SECRET not in str(event.__dict__)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"metadata": {"issuer": "https://corp.example"}}, "The provider calls itself https://corp.example"),
        ({"metadata": {"token_endpoint": "http://corp.example/token"}}, "no usable token_endpoint"),
        ({"metadata": {"authorization_endpoint": "javascript:alert(1)"}}, "no usable authorization_endpoint"),
        ({"metadata": {"code_challenge_methods_supported": ["plain"]}}, "does not support PKCE"),
        ({"metadata": {"id_token_signing_alg_values_supported": ["HS256"]}}, "signs with HS256 only"),
        ({"keys": []}, "no key that Postern accepts"),
        ({"client_secret": "another"}, "refuses the client ID or the client secret"),
        ({"clock_ahead_s": 120.0}, "differs from the clock of this machine by"),
        ({"manners": {"openid-configuration": "error"}}, "no OpenID Connect metadata"),
        ({"manners": {"openid-configuration": "html"}}, "not the expected service"),
    ],
)
@pytest.mark.any_database
def test_each_failure_of_the_test_says_what_to_change(
    admin: APIClient, corp: OpenidStandIn, wrong: dict[str, Any], words: str
) -> None:
    for name, value in wrong.items():
        setattr(corp, name, value)
    answer = admin.post(TEST, form_of(corp))
    assert answer.status_code == 400
    assert words in str(answer.json())


@pytest.mark.parametrize(
    ("issuer", "words"),
    [
        ("https://169.254.169.254/x", "metadata service"),
        ("https://provider.invalid", "cannot be resolved"),
        ("http://localhost:1", "cannot be reached"),
    ],
)
@pytest.mark.any_database
def test_k36_forbidden_addresses_are_not_contacted(
    admin: APIClient, corp: OpenidStandIn, issuer: str, words: str
) -> None:
    answer = admin.post(TEST, form_of(corp, issuer=issuer))
    assert answer.status_code == 400
    assert words in str(answer.json())


def test_unsuitable_keys_of_the_provider_are_skipped(admin: APIClient, corp: OpenidStandIn) -> None:
    """Secret keys and encryption keys in the response are skipped."""
    own = {**rsa_key("own").as_dict(private=False), "kid": "k1"}
    corp.keys = [{"kty": "oct", "k": "c2VjcmV0", "kid": "k1"}, {**own, "use": "enc"}, {"kty": "EC"}, 7, own]
    save(admin, form_of(corp))
    assert Guest().walk(corp).status_code == 200


def test_rule_may_give_membership_in_a_group(admin: APIClient, corp: OpenidStandIn) -> None:
    group = UserGroup.objects.create(org_id=DEFAULT_ORG_ID, name="dba")
    rules = [{"claim": "groups", "value": "dba", "role": "", "group": str(group.pk)}]
    made = save(admin, form_of(corp, rules=rules))
    assert admin.get(f"{PROVIDERS}{made['id']}/").json()["rules"] == rules


def test_caller_who_lost_the_role_cannot_write(corp: OpenidStandIn, make_person: Callable[..., User]) -> None:
    """A super administrator who has just lost the role cannot write with their existing session."""
    boss = make_person("boss")
    User.objects.filter(pk=boss.pk).update(role="Admin")
    browser = Browser()
    browser.sign_in("boss")
    assert browser.post(PROVIDERS, form_of(corp)).status_code == 201
    User.objects.filter(pk=boss.pk).update(role="User")
    assert browser.post(PROVIDERS, form_of(corp, name="Two", slug="two")).status_code == 403
