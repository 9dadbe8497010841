"""The installation in which the writes are tried: two companies of one organization, a second organization, a proxy."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings
from django.test import Client
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.proxy_client import Proxy
from factories.settlements import settle
from peers.saml_stand_in import pair
from postern.apps.assets.domains.actions import create_domain
from postern.apps.assets.favorites.actions import add_favorite
from postern.apps.assets.models import Node
from postern.apps.assets.platforms.actions import create_platform
from postern.apps.authn.credentials.actions.tokens import create_access_key, make_key
from postern.apps.authn.models import LoginAcl, OpenidProvider, SamlProvider
from postern.apps.notifications import actions as notifications
from postern.apps.notifications.models import SiteMessageReceipt
from postern.apps.orgs.facade import create_organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.sessions.models import Terminal
from postern.apps.sessions.terminals import registration
from postern.apps.users.facade import PersonInput, create_user
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import Membership, SystemRole, User, UserGroupMember
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import DEFAULT_ORG_ID
from writes.case import ADDRESS
from writes.preparations import MARK, Preparations, give_password

#: Hashers for tests that do not depend on the hasher: the first is used for new passwords.
QUICK_HASHERS: Final = ("django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS)


@dataclass
class World(Preparations):
    """`values`: ids and names for placeholders; `admin`: who calls (Adam); `proxy`: a registered one."""

    admin: User
    proxy: Proxy
    values: dict[str, Any] = field(default_factory=dict)

    def client(self, caller: str) -> APIClient:
        """`admin`: by a credential without a session; `stranger`: a browser; `browser`: one in which Adam has signed in."""
        if caller == "admin":
            client = APIClient(REMOTE_ADDR=ADDRESS)
            client.force_authenticate(self.admin)
        elif caller == "proxy":
            client = APIClient(REMOTE_ADDR=ADDRESS, HTTP_AUTHORIZATION=self.proxy.headers["Authorization"])
        elif caller == "bootstrap":
            token = registration.bootstrap_token().reveal()
            client = APIClient(REMOTE_ADDR=ADDRESS, HTTP_AUTHORIZATION=f"BootstrapToken {token}")
        else:
            client = self._browser(signed_in=caller == "browser")
        client.raise_request_exception = False
        return client

    def afresh(self) -> "World":
        """The same world for another test, whose changes of the objects in memory nobody else sees."""
        admin = User.objects.get(pk=self.admin.pk)
        return World(admin, self.proxy.afresh(Client(REMOTE_ADDR=ADDRESS)), dict(self.values))

    def _browser(self, *, signed_in: bool) -> Browser:
        browser = Browser(ADDRESS)
        browser.get("/api/v1/authentication/sign-in/")
        if signed_in:
            give_password(self.admin, PASSWORD)
            answer = browser.sign_in("adam")
            assert answer.status_code == 200, answer.content
        return browser


def found_world(make_user: Callable[..., User]) -> World:
    """Everything that the cases name, made by the product's own actions."""
    admin = make_user("adam", role=SystemRole.ADMIN)
    proxy = Proxy(Client(REMOTE_ADDR=ADDRESS), "gate-1")
    world = World(admin, proxy)
    for prefix, name, protocol in (("", "one", "ssh"), ("2:", "two", "telnet")):
        settled = settle(DEFAULT_ORG_ID, name, make_user, dynamic=protocol)
        world.values |= {f"{prefix}{path}": _key(row) for path, row in settled.items()}
        world.values |= {f"{prefix}name:{path}": str(row) for path, row in settled.items()}
        world.values[f"{prefix}ip:assets/assets"] = settled["assets/assets"].ip
        _more(world, prefix, name, settled)
    world.values |= {"admin": str(admin.pk), "mark": MARK, "password": PASSWORD}
    world.values["root_node"] = str(Node.objects.get(org_id=DEFAULT_ORG_ID, parent__isnull=True).pk)
    return world


def _more(world: World, prefix: str, name: str, settled: dict[str, Any]) -> None:
    """What a settlement lacks."""
    admin, person = world.admin, settled["users/users"]
    platform = create_platform(
        actor=SYSTEM, values={"name": f"{name}-platform", "base": "Linux", "charset": "utf8", "comment": ""}
    )
    zone = create_domain(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": f"{name} zone"})
    star = add_favorite(actor=SYSTEM, user_id=admin.pk, asset=settled["assets/assets"])
    org = create_organization(actor=SYSTEM, name=f"{name} firm")
    memberships.add_org_role(actor=SYSTEM, scope=OrgScope(org.pk), user=person, role=OrgRole.USER)
    memberships.add_org_role(actor=SYSTEM, scope=OrgScope(org.pk), user=person, role=OrgRole.ADMIN)
    notifications.send(actor=SYSTEM, subject=f"{name} subject", message=f"<p>{name}</p>", users=[admin])
    terminal = Terminal.objects.create(name=f"{name} gate", type="core", secret_hash=name * 20)
    membership = Membership.objects.get(org=org, user=person, role=OrgRole.USER)
    outsider = User.objects.create(username=f"{name}-outsider", name="Out", email=f"{name}-out@example.test")
    robot = create_user(
        actor=SYSTEM,
        scope=OrgScope(DEFAULT_ORG_ID),
        person=PersonInput(columns={"kind": "service", "username": f"{name}-robot", "name": f"{name} robot"}),
    ).user
    values: dict[str, Any] = {
        "platform": platform.pk,
        "zone": str(zone.pk),
        "star": star.pk,
        "org": str(org.pk),
        "membership": membership.pk,
        "message": str(SiteMessageReceipt.objects.get(user=admin, message__subject=f"{name} subject").pk),
        "terminal": str(terminal.pk),
        "key": str(create_access_key(actor=SYSTEM, user=admin).key.pk),
        "outsider": str(outsider.pk),
        "openid": str(
            OpenidProvider.objects.create(
                name=f"{name} provider", slug=f"{name}-provider", issuer="https://169.254.169.254", client_id=name
            ).pk
        ),
        "saml": str(
            SamlProvider.objects.create(
                name=f"{name} saml",
                slug=f"{name}-saml",
                idp_entity_id="urn:idp",
                sso_url="https://idp.example/sso",
                certificates=pair("idp").pem,
            ).pk
        ),
        "service": str(robot.pk),
        "service-key": str(make_key(actor=SYSTEM, user=robot, comment=f"{name} key", date_expired=None).key.pk),
        "acls/login-acls": str(LoginAcl.objects.create(user=person, name=f"{name} rule", action="allow").pk),
    }
    world.values |= {f"{prefix}{key}": value for key, value in values.items()}
    world.values[f"{prefix}seat"] = UserGroupMember.objects.get(user=person).pk


def _key(row: Any) -> Any:
    return row.pk if isinstance(row.pk, int) else str(row.pk)
