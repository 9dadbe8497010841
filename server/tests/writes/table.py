"""Every write of every resource: one row for each route and method that could write, several for some."""

from declarations import PLAIN
from writes import (
    acls,
    applications,
    assets,
    audits,
    jobs,
    login_acls,
    openid,
    organizations,
    passkeys,
    people,
    permissions,
    saml,
    service_keys,
    sessions,
    signing_in,
    sso_links,
    storages,
    vault,
    webhooks,
)
from writes.case import Write

AREAS: dict[str, list[Write]] = {
    "acls": acls.WRITES,
    "assets": assets.WRITES,
    "vault": vault.WRITES,
    "applications": applications.WRITES,
    "permissions": permissions.WRITES,
    "login ACLs": login_acls.WRITES,
    "OpenID Connect": openid.WRITES,
    "SAML": saml.WRITES,
    "people": people.WRITES,
    "organizations": organizations.WRITES,
    "signing in": signing_in.WRITES,
    "service accounts": service_keys.WRITES,
    "passkeys": passkeys.WRITES,
    "SSO links": sso_links.WRITES,
    "sessions": sessions.WRITES,
    "audits": audits.WRITES,
    "jobs": jobs.WRITES,
    "webhooks": webhooks.WRITES,
    "storages": storages.WRITES,
    **{resource.path: resource.writes() for resource in PLAIN},
}
