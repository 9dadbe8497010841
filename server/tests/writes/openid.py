"""Writes of OpenID Connect providers, and what their visits do."""

from writes.case import ROOT, Again, Told, Write
from writes.standard import Resource

_PATH = "/api/v1/authentication/openid-providers/"
#: Never dialled.
_ISSUER = "https://169.254.169.254"
_NEEDED = {"issuer": _ISSUER, "client_id": "c"}

_PROVIDERS = Resource(
    path=_PATH,
    kind="OpenidProvider",
    it="openid",
    name="one provider",
    second="2:openid",
    second_name="two provider",
    make={"name": "Corp", "slug": "corp", **_NEEDED, "client_secret": "{mark}"},
    made_name="Corp",
    made={"name": "Corp", "slug": "corp", **_NEEDED, "creates_users": False, "rules": []},
    change={"comment": "changed", "order": 7},
    before={"comment": "", "order": 50},
    after={"comment": "changed", "order": 7},
    put={"name": "one provider", "slug": "one-provider", "issuer": _ISSUER, "client_id": "one"},
    put_second={"name": "two provider", "slug": "two-provider", "issuer": _ISSUER, "client_id": "two"},
    gone={"name": "one provider", "issuer": _ISSUER},
    org=ROOT,
)

_TRIED = Told(
    event="settings.provider_tested",
    action="other",
    kind="OpenidProvider",
    name="corp",
    new={"accepted": False, "reason": "dialling.metadata"},
    org=ROOT,
)

WRITES: list[Write] = [
    *_PROVIDERS.writes(),
    Write(
        method="POST",
        path=f"{_PATH}test/",
        body={"slug": "corp", **_NEEDED, "client_secret": "{mark}"},
        status=400,
        told=[_TRIED],
        again=Again.ACTS,
    ),
]
