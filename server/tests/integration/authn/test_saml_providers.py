"""The resource of SAML providers: stored values, rights, and the test of a form."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.saml import PROVIDERS, form_of, save
from peers.saml_stand_in import SamlStandIn, pair
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import SamlProvider
from postern.apps.authn.saml import signing_keys
from postern.apps.users.models import User
from postern.apps.vault.models import SealedSecret

TEST = f"{PROVIDERS}test/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def corp() -> SamlStandIn:
    return SamlStandIn()


@pytest.fixture
def admin(as_admin: APIClient) -> APIClient:
    as_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
    return as_admin


def fields_of(corp: SamlStandIn, **more: Any) -> dict[str, Any]:
    """The values of a form without metadata."""
    return {
        "name": "Corp",
        "slug": "corp",
        "idp_entity_id": corp.entity_id,
        "sso_url": corp.sso_url,
        "certificates": corp.pair.base64,
        **more,
    }


def test_metadata_set_the_values_of_the_provider(admin: APIClient, corp: SamlStandIn) -> None:
    made = save(admin, form_of(corp, metadata=corp.metadata(corp.pair, pair("next"))))
    assert "metadata" not in made
    values = (made["idp_entity_id"], made["sso_url"], made["slo_url"])
    assert values == (corp.entity_id, corp.sso_url, corp.slo_url)
    assert [certificate["subject"] for certificate in made["certificates_info"]] == ["CN=idp", "CN=next"]
    assert made["acs_url"].endswith("/core/auth/saml/corp/acs/")
    assert made["entity_id"].endswith("/core/auth/saml/corp/metadata/")
    assert "PRIVATE KEY" not in str(made)


def test_provider_is_stored_changed_and_deleted_with_its_key(admin: APIClient, corp: SamlStandIn) -> None:
    made = save(admin, fields_of(corp))
    assert made["certificates"] == corp.pair.pem  # entered without its first and last line
    row = SamlProvider.objects.get()
    key = signing_keys.STORE.value.get(row.pk)
    assert key is not None
    url = f"{PROVIDERS}{made['id']}/"
    assert admin.patch(url, {"comment": "new"}).json()["own_certificate"] == made["own_certificate"]
    changed = admin.patch(url, {"metadata": SamlStandIn(entity_id="urn:other", slo_url="").metadata()}).json()
    assert (changed["idp_entity_id"], changed["slo_url"]) == ("urn:other", "")
    assert admin.delete(url).status_code == 204
    assert not SealedSecret.objects.filter(table="authn_samlprovider").exists()
    kinds = list(AuditEvent.objects.filter(event__startswith="samlprovider.").values_list("event", flat=True))
    assert sorted(kinds) == [
        "samlprovider.created",
        "samlprovider.deleted",
        "samlprovider.updated",
        "samlprovider.updated",
    ]
    assert "PRIVATE KEY" not in str(list(AuditEvent.objects.values()))


def test_decryption_key_is_made_once_when_switched_on(admin: APIClient, corp: SamlStandIn) -> None:
    made = save(admin, fields_of(corp))
    url, row = f"{PROVIDERS}{made['id']}/", SamlProvider.objects.get()
    assert (made["decrypts"], made["encryption_certificate"]) == (False, "")
    assert signing_keys.DECRYPTION.value.get(row.pk) is None
    on = admin.patch(url, {"decrypts": True}).json()
    assert on["encryption_certificate"].startswith("-----BEGIN CERTIFICATE-----")
    assert on["encryption_certificate"] != on["own_certificate"], "a key of its own"
    key = signing_keys.DECRYPTION.value.get(row.pk)
    assert key is not None
    off, on_again = (admin.patch(url, {"decrypts": value}).json() for value in (False, True))
    assert off["encryption_certificate"] == on_again["encryption_certificate"] == on["encryption_certificate"]
    stored_key = signing_keys.DECRYPTION.value.get(row.pk)
    assert stored_key is not None
    assert stored_key.reveal() == key.reveal()
    records = AuditEvent.objects.filter(event="samlprovider.updated").order_by("datetime")
    assert [record.new for record in records] == [{"decrypts": True}, {"decrypts": False}, {"decrypts": True}]
    assert admin.delete(url).status_code == 204
    assert not SealedSecret.objects.filter(table="authn_samlprovider").exists()
    assert save(admin, fields_of(corp, decrypts=True))["encryption_certificate"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"sso_url": "http://corp.example/sso"}, "sso_url"),
        ({"sso_url": "javascript:alert(1)"}, "sso_url"),
        ({"sso_url": "https://u:p@corp.example"}, "sso_url"),
        ({"sso_url": "https://["}, "sso_url"),
        ({"sso_url": ""}, "sso_url"),
        ({"slo_url": "ftp://corp.example"}, "slo_url"),
        ({"idp_entity_id": ""}, "idp_entity_id"),
        ({"certificates": ""}, "certificates"),
        ({"certificates": "hello"}, "certificates"),
        ({"certificates": pair("weak", bits=1024).pem}, "certificates"),
        ({"metadata": "<a/>"}, "metadata"),
        ({"metadata": "<!DOCTYPE a><a/>"}, "metadata"),
        ({"name_format": "urn:other"}, "name_format"),
        ({"slug": "login"}, "slug"),
        ({"rules": [{"claim": "g", "value": "x", "role": "Root"}]}, "rules"),
        ({"username_claim": ""}, "username_claim"),
    ],
)
def test_invalid_provider_values_are_refused(
    admin: APIClient, corp: SamlStandIn, change: dict[str, Any], field: str
) -> None:
    answer = admin.post(PROVIDERS, fields_of(corp, **change))
    assert (answer.status_code, list(answer.json())) == (400, [field])
    made = save(admin, fields_of(corp))
    if field != "slug":
        answer = admin.patch(f"{PROVIDERS}{made['id']}/", change)
        assert (answer.status_code, list(answer.json())) == (400, [field])


def test_number_of_providers_is_limited_to_twenty(admin: APIClient, corp: SamlStandIn) -> None:
    save(admin, fields_of(corp))
    first = SamlProvider.objects.get()
    for number in range(19):
        first.pk = None
        SamlProvider.objects.create(
            name=f"P {number}", slug=f"p-{number}", idp_entity_id="e", sso_url="s", certificates=first.certificates
        )
    assert list(admin.post(PROVIDERS, fields_of(corp, name="More", slug="more")).json()) == ["name"]


def test_k35_only_super_administrators_write_and_read_them(
    corp: SamlStandIn, make_user: Callable[..., User], as_org_admin: APIClient, as_auditor: APIClient
) -> None:
    for client in (as_org_admin, as_auditor):
        assert client.get(PROVIDERS).status_code == 403
        assert client.post(PROVIDERS, form_of(corp)).status_code == 403
        assert client.post(TEST, form_of(corp)).status_code == 403


def test_valid_form_passes_the_test_before_it_is_saved(admin: APIClient, corp: SamlStandIn) -> None:
    for form in (form_of(corp), fields_of(corp)):
        answer = admin.post(TEST, form)
        assert answer.status_code == 200, answer.content
        assert "The values fit together" in answer.json()["msg"]
        assert "/core/auth/saml/corp/acs/" in answer.json()["msg"]
    assert "signed out of Postern only" in admin.post(TEST, fields_of(corp)).json()["msg"]
    assert not SamlProvider.objects.exists()
    assert AuditEvent.objects.filter(event="settings.provider_tested").count() == 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"certificates": pair("old", days=-1).pem}, "No stored certificate of the provider is valid today"),
        ({"certificates": "hello"}, "This is not a certificate"),
        ({"certificates": pair("weak", bits=1024).pem}, "too weak or of an unknown kind"),
        ({"sso_url": "http://corp.example"}, "it begins with https://"),
        ({"sso_url": ""}, "paste the metadata"),
        ({"metadata": "hello"}, "not a SAML document"),
        ({"metadata": "<a/>"}, "not the metadata of a SAML 2.0 identity provider"),
    ],
)
@pytest.mark.any_database
def test_each_failure_of_the_test_says_what_to_change(
    admin: APIClient, corp: SamlStandIn, change: dict[str, Any], words: str
) -> None:
    answer = admin.post(TEST, fields_of(corp, **change))
    assert answer.status_code == 400
    assert words in str(answer.json())


def test_expiring_certificate_and_site_without_https_are_reported(
    admin: APIClient, corp: SamlStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = admin.post(TEST, fields_of(corp, certificates=pair("soon", days=10).pem))
    assert "The last certificate ends on" in answer.json()["msg"]
    assert settings.POSTERN.console_url.startswith("http://")
    answer = admin.put("/api/v1/settings/setting/?category=basic", {"SITE_URL": "http://postern.example"})
    assert answer.status_code == 200, answer.content
    answer = admin.post(TEST, fields_of(corp))
    assert answer.status_code == 400
    assert "only over https" in str(answer.json())


def test_sign_in_page_has_a_button_for_each_active_provider(admin: APIClient, corp: SamlStandIn) -> None:
    save(admin, fields_of(corp))
    data = APIClient().get("/api/v1/settings/public/").json()["data"]
    assert data["SAML_PROVIDERS"] == [{"id": "corp", "name": "Corp"}]
    SamlProvider.objects.update(is_active=False)
    assert APIClient().get("/api/v1/settings/public/").json()["data"]["SAML_PROVIDERS"] == []
