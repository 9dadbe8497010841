"""Writes of SAML providers."""

from peers.saml_stand_in import pair
from writes.case import ROOT, Again, Told, Write
from writes.standard import Resource

_PATH = "/api/v1/authentication/saml-providers/"
_NEEDED = {"idp_entity_id": "urn:idp", "sso_url": "https://idp.example/sso", "certificates": pair("idp").pem}

_PROVIDERS = Resource(
    path=_PATH,
    kind="SamlProvider",
    it="saml",
    name="one saml",
    second="2:saml",
    second_name="two saml",
    make={"name": "Corp", "slug": "corp", "decrypts": True, **_NEEDED},
    made_name="Corp",
    made={"name": "Corp", "slug": "corp", "idp_entity_id": "urn:idp", "decrypts": True, "rules": []},
    change={"comment": "changed", "decrypts": True},
    before={"comment": "", "decrypts": False},
    after={"comment": "changed", "decrypts": True},
    put={"name": "one saml", "slug": "one-saml", **_NEEDED},
    put_second={"name": "two saml", "slug": "two-saml", **_NEEDED},
    gone={"name": "one saml", "idp_entity_id": "urn:idp"},
    org=ROOT,
)

_TRIED = Told(
    event="settings.provider_tested",
    action="other",
    kind="SamlProvider",
    name="corp",
    new={"accepted": True, "reason": ""},
    org=ROOT,
)

WRITES: list[Write] = [
    *_PROVIDERS.writes(),
    Write(
        method="POST",
        path=f"{_PATH}test/",
        body={"slug": "corp", **_NEEDED},
        told=[_TRIED],
        again=Again.ACTS,
    ),
]
