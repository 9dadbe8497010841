"""What some calls need before they can be made: each answers the values that its case names."""

import hashlib
import json
from base64 import b64encode
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from django.conf import settings
from rest_framework.test import APIClient

from factories import licences
from factories.browser import Browser
from factories.grants import grant, make_asset, make_node, make_system_user
from factories.mail import use_mail_server
from factories.proxy_client import Proxy
from factories.puzzles import solved
from factories.second_factor import App, FoundApp
from factories.ssh_proof import make_key, signed_request
from postern.apps.acls.command_filters.actions import create_rule
from postern.apps.acls.models import CommandFilter
from postern.apps.assets.models import Asset, FavoriteAsset, HostKey
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.external.models import Provider, Purpose
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.apps.authn.models import (
    ExternalAccount,
    ExternalRequest,
    FederatedIdentity,
    LoginSession,
    OpenidProvider,
    SamlProvider,
)
from postern.apps.authn.puzzles import puzzle as puzzles
from postern.apps.directory.models import DirectoryEntry
from postern.apps.forwarding.models import Webhook, WebhookDelivery
from postern.apps.forwarding.webhooks import secrets as webhook_secrets
from postern.apps.jobs.connectivity.job import TEST_ASSETS, AssetsArgument
from postern.apps.jobs.engine.actions import accept
from postern.apps.jobs.engine.kinds import NoArgument
from postern.apps.jobs.job_center import actions as task_writes
from postern.apps.jobs.models import CommandSnippet, PeriodicTask
from postern.apps.notifications import deliveries
from postern.apps.notifications.models import MessageDelivery, SiteMessage
from postern.apps.orgs import facade as orgs
from postern.apps.perms.application_grants.links import SYSTEM_USERS as APPLICATION_SYSTEM_USERS
from postern.apps.perms.application_permissions import actions as application_permissions
from postern.apps.perms.grants.links import SYSTEM_USERS
from postern.apps.perms.models import (
    ApplicationPermission,
    ApplicationPermissionApplication,
    ApplicationPermissionSystemUser,
    AssetPermission,
    PermissionSystemUser,
)
from postern.apps.perms.permissions.actions import add_link
from postern.apps.preferences.actions import change_settings
from postern.apps.preferences.models import PreferenceValue
from postern.apps.sessions.models import EnteredCredential, ProxyOrder, ReplayStorage, Session, Terminal
from postern.apps.sessions.storages import places as storage_places
from postern.apps.users.credentials.actions import links
from postern.apps.users.invitations.actions import LIFETIME
from postern.apps.users.models import Invitation, MfaLevel, User
from postern.apps.vault import facade as vault
from postern.apps.vault.models import SystemUser, SystemUserAsset, SystemUserNode
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, token_hash
from postern.kernel.secret import Secret

Values = dict[str, Any]
RECORDINGS = Path(__file__).parents[1] / "fixtures" / "recordings"
#: Sent wherever a secret goes in: found anywhere else, it has leaked. Long and plain enough for every rule of passwords.
MARK = "marker plum orbit quartz"
_PAIR = Ed25519PrivateKey.generate()
PRIVATE_KEY = _PAIR.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()
PUBLIC_KEY = _PAIR.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def give_password(user: User, password: str) -> User:
    """Nobody in a world has one unless it is asked for: hashing is slow on purpose."""
    user.set_password(password)
    user.save()
    return user


class Preparations:
    """Part of `World`."""

    admin: User
    proxy: Proxy
    values: Values

    def client(self, caller: str) -> APIClient:
        """See `World`."""
        raise NotImplementedError

    def invited(self) -> Values:
        """Adam is invited into the second firm."""
        licences.install_licence()
        return self._invitation(self.admin)

    def with_invited_member(self) -> Values:
        """A member of the organization is."""
        licences.install_licence()
        return self._invitation(User.objects.get(pk=self.values["users/users"]))

    def _invitation(self, user: User) -> Values:
        row = Invitation.objects.create(
            org_id=self.values["2:org"],
            addressee="guest",
            user=user,
            roles=["User"],
            inviter=self.admin,
            date_expired=clock.now() + LIFETIME,
        )
        return {"invitation": str(row.pk)}

    @property
    def person(self) -> User:
        """Whom most cases are about."""
        return User.objects.get(username="one-person")

    # --- the tree, stars, permissions ---

    def empty_node(self) -> Values:
        return {"empty": str(make_node("empty").pk)}

    def without_star(self) -> Values:
        FavoriteAsset.objects.all().delete()
        return {}

    def with_unused_applications(self) -> Values:
        """No permission names an application."""
        ApplicationPermissionApplication.objects.all().delete()
        return {}

    def with_spare_system_users_of_applications(self) -> Values:
        for permission in ApplicationPermission.objects.all():
            spare = make_system_user(protocol="mysql", org_id=permission.org_id)
            application_permissions.add_link(
                actor=SYSTEM, permission=permission, link=APPLICATION_SYSTEM_USERS, target=spare
            )
        return {}

    def with_spare_system_users(self) -> Values:
        for permission in AssetPermission.objects.all():
            add_link(actor=SYSTEM, permission=permission, link=SYSTEM_USERS, target=make_system_user())
        return {}

    def deserted_organization(self) -> Values:
        org = orgs.create_organization(actor=SYSTEM, name="deserted")
        return {"deserted": str(org.pk)}

    def with_licence_file(self) -> Values:
        return {"file": licences.licence_file(500)}

    # --- jobs ---

    def waiting_job(self) -> Values:
        job = accept(actor=SYSTEM, org_id=DEFAULT_ORG_ID, kind="nodes.check", argument=NoArgument())
        return {"job": str(job.pk)}

    def task_with_work(self) -> Values:
        argument = AssetsArgument(assets=(self.values["assets/assets"],))
        columns = task_writes.work(TEST_ASSETS, argument, "one-host")
        values = {"name": "a task with work", **columns}
        return {"task": str(task_writes.TASKS.create(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values=values).pk)}

    def granted_command(self) -> Values:
        """The caller may run commands on a host."""
        asset, run_as = make_asset("batch-1"), make_system_user("batch")
        grant("batch", users=[self.admin], assets=[asset], system_users=[run_as])
        return {"asset": str(asset.pk), "run_as": str(run_as.pk)}

    def saved_command(self) -> Values:
        row = CommandSnippet.objects.create(user=self.admin, name="disk", command="df -h")
        return {"snippet": str(row.pk)}

    def periodic_task(self) -> Values:
        row = PeriodicTask.objects.create(name="jobs: run due tasks", task="postern.jobs.run_due")
        return {"periodic": str(row.pk)}

    # --- people ---

    def locked_out(self) -> Values:
        try:
            while True:
                guard.reserve("one-person", "198.51.100.1")
        except SignInLocked:
            return {}

    def with_locked_address(self) -> Values:
        try:
            while True:
                guard.reserve_address("198.51.100.2")
        except SignInLocked:
            return {}

    def with_app(self) -> Values:
        App(self.person)
        return {}

    def with_public_key(self) -> Values:
        User.objects.filter(username="one-person").update(public_key=PUBLIC_KEY)
        return {"public_key": PUBLIC_KEY}

    def with_signed_request(self) -> Values:
        key, line = make_key()
        User.objects.filter(username="one-person").update(public_key=line)
        signed, signature = signed_request(key, "one-person")
        return {"signed": b64encode(signed).decode(), "signature": b64encode(signature).decode()}

    def with_ticket(self) -> Values:
        return {"ticket": self.proxy.ticket(self.person)}

    def with_accepted_terminal(self) -> Values:
        Terminal.objects.filter(pk=self.values["terminal"]).update(is_accepted=True)
        fingerprint = Terminal.objects.get(pk=self.values["terminal"]).fingerprint
        return {"fingerprint": fingerprint}

    def with_renewal_due(self) -> Values:
        boot_id = uuid4()
        Terminal.objects.filter(pk=self.proxy.id).update(is_renewal_due=True, boot_id=boot_id, renewal_boot_id=boot_id)
        return {"boot_id": str(boot_id)}

    def with_password(self) -> Values:
        give_password(self.admin, self.values["password"])
        return {}

    def with_marked_password(self) -> Values:
        give_password(self.admin, MARK)
        return {}

    def with_password_of_person(self) -> Values:
        give_password(self.person, MARK)
        return {}

    def with_set_password_link(self) -> Values:
        link = links.issue_set_password_link(actor=SYSTEM, user=self.person, void_password=True)
        return {"link": link.token.reveal()}

    # --- signing in ---

    def with_mail(self) -> Values:
        use_mail_server(25)
        return solved(asdict(puzzles.new_puzzle(puzzles.Purpose.FORGOTTEN_PASSWORD, "one-person")))

    def with_browser_and_marked_password(self) -> Values:
        browser = self.client("browser")
        self.admin.refresh_from_db()
        hashed = User(password="")
        hashed.set_password(MARK)
        User.objects.filter(pk=self.admin.pk).update(password=hashed.password)
        return {"client": browser}

    def with_verified_password(self) -> Values:
        browser = self.client("browser")
        answer = browser.post("/api/v1/authentication/password/verify/", {"password": self.values["password"]})
        assert answer.status_code == 200, answer.content
        return {"client": browser}

    def with_begun_enrolment(self) -> Values:
        browser: Browser = self.with_verified_password()["client"]
        begun = browser.post("/api/v1/authentication/otp/enrol/start/").json()
        return {"client": browser, "code": FoundApp(self.admin, begun["secret"]).code()}

    def with_own_app(self) -> Values:
        browser = self.client("browser")
        app = App(self.admin)
        LoginSession.objects.filter(user=self.admin).update(date_ended=None, end_reason="")
        return {"client": browser, "code": app.code(), "recovery": app.recovery[0]}

    def with_demand(self) -> Values:
        give_password(self.admin, self.values["password"])
        app = App(self.admin)
        browser = self.client("stranger")
        answer = browser.sign_in("adam") if isinstance(browser, Browser) else None
        assert answer is not None
        assert answer.json()["error"] == "mfa_required"
        return {"client": browser, "code": app.code()}

    def with_demand_of_person(self) -> Values:
        person = give_password(self.person, MARK)
        app = App(person)
        User.objects.filter(pk=person.pk).update(mfa_level=MfaLevel.ENABLED)
        body = {"username": "one-person", "password": MARK, "remote_addr": "192.0.2.7", "login_from": "ST"}
        answer = self.client("proxy").post("/api/internal/v1/sign-in/password/", body, format="json").json()
        return {"sign_in": answer["second_factor"]["token"], "code": app.code()}

    def with_external_accounts(self) -> Values:
        for user in (self.admin, self.person):
            for provider in Provider:
                ExternalAccount.objects.create(
                    user=user, provider=provider, tenant="corp-1", subject=f"s-{user.username}", name="A"
                )
        return self.with_verified_password()

    def with_external_visit(self) -> Values:
        """Adam came back from WeCom to sign in."""
        PreferenceValue.objects.create(name="AUTH_WECOM", value=True, date_updated=clock.now())
        ExternalAccount.objects.create(user=self.admin, provider="wecom", tenant="corp-1", subject="s-adam")
        return self._visit(self.client("stranger"), Purpose.SIGN_IN)

    def with_openid_visit(self) -> Values:
        """Adam came back from a provider to sign in."""
        row = OpenidProvider.objects.get(slug="one-provider")
        User.objects.filter(pk=self.admin.pk).update(source="openid")
        FederatedIdentity.objects.create(user=self.admin, source="openid", issuer=row.issuer, subject="s-adam")
        visit = self._visit(self.client("stranger"), Purpose.SIGN_IN)
        mine = ExternalRequest.objects.filter(pk=visit["visit"])
        mine.update(provider="openid", way_id=row.pk, tenant=row.issuer, details={"username": "adam"})
        return visit

    def with_saml_visit(self) -> Values:
        """Adam came back from a provider to sign in."""
        row = SamlProvider.objects.get(slug="one-saml")
        User.objects.filter(pk=self.admin.pk).update(source="saml")
        FederatedIdentity.objects.create(user=self.admin, source="saml", issuer=row.idp_entity_id, subject="s-adam")
        visit = self._visit(self.client("stranger"), Purpose.SIGN_IN)
        mine = ExternalRequest.objects.filter(pk=visit["visit"])
        mine.update(provider="saml", way_id=row.pk, tenant=row.idp_entity_id, details={"username": "adam"})
        return visit

    def with_visit_to_confirm(self) -> Values:
        """Adam, of a provider, came back from there in the browser in which he is signed in."""
        row = OpenidProvider.objects.get(slug="one-provider")
        browser = self.client("browser")
        User.objects.filter(pk=self.admin.pk).update(source="openid")
        FederatedIdentity.objects.create(user=self.admin, source="openid", issuer=row.issuer, subject="s-adam")
        visit = self._visit(browser, Purpose.CONFIRM, LoginSession.objects.get(user=self.admin))
        mine = ExternalRequest.objects.filter(pk=visit["visit"])
        mine.update(provider="openid", way_id=row.pk, tenant=row.issuer)
        return visit

    def with_external_visit_to_bind(self) -> Values:
        browser = self.client("browser")
        return self._visit(browser, Purpose.BIND, LoginSession.objects.get(user=self.admin))

    def _visit(self, browser: APIClient, purpose: Purpose, login_session: LoginSession | None = None) -> Values:
        now = clock.now()
        row = ExternalRequest.objects.create(
            provider=Provider.WECOM,
            purpose=purpose,
            state_hash=token_hash("state"),
            browser_hash=token_hash("browser"),
            login_session=login_session,
            tenant="corp-1",
            subject="s-adam",
            name="Adam",
            date_expired=now + timedelta(minutes=5),
            date_redeemed=now,
        )
        browser.cookies["postern_visit"] = "browser"
        return {"client": browser, "visit": str(row.pk)}

    def with_login_session(self) -> Values:
        self.client("browser")
        return {"login_session": str(LoginSession.objects.get(user=self.admin).pk)}

    # --- sessions ---

    def without_orders(self) -> Values:
        ProxyOrder.objects.all().delete()
        return {}

    def with_locked_session(self) -> Values:
        ProxyOrder.objects.all().delete()
        Session.objects.update(is_locked=True, locked_by="somebody", date_locked=clock.now(), lock_version=1)
        return {}

    def with_grant_of_admin(self) -> Values:
        self.proxy.beat()
        grant(
            "of adam",
            users=[self.admin],
            assets=[Asset.objects.get(pk=self.values["assets/assets"])],
            system_users=[SystemUser.objects.get(pk=self.values["assets/system-users"])],
        )
        return {}

    def with_unused_system_users(self) -> Values:
        """No permission, asset or node uses a system user."""
        for model in (PermissionSystemUser, ApplicationPermissionSystemUser, SystemUserNode, SystemUserAsset):
            model.objects.all().delete()
        Asset.objects.update(admin_user_id=None)
        return {}

    def with_manual_system_user_of_admin(self) -> Values:
        SystemUser.objects.filter(pk=self.values["assets/system-users"]).update(login_mode="manual")
        return self.with_grant_of_admin()

    def with_second_version_of_account(self) -> Values:
        PreferenceValue.objects.update_or_create(name="SECURITY_VIEW_AUTH_NEED_MFA", defaults={"value": False})
        path = f"/api/v1/assets/accounts/{self.values['assets/accounts']}/"
        assert self.client("admin").patch(path, {"password": f"{MARK} second"}, format="json").status_code == 200
        return {}

    def with_own_secret_of_application_account(self) -> Values:
        path = f"/api/v1/applications/accounts/{self.values['applications/accounts']}/"
        assert self.client("admin").patch(path, {"password": f"{MARK} own"}, format="json").status_code == 200
        return {}

    def with_entered_credential(self) -> Values:
        self.with_manual_system_user_of_admin()
        body = {"instance_id": self.values["assets/assets"], "username": "root", "password": f"{MARK} entered"}
        path = f"/api/v1/assets/system-users/{self.values['assets/system-users']}/temp-auth/"
        assert self.client("admin").post(path, body, format="json").status_code == 201
        return {"entered": str(EnteredCredential.objects.get().pk)}

    def with_connection_token(self) -> Values:
        self.with_grant_of_admin()
        body = {
            "asset": self.values["assets/assets"],
            "system_user": self.values["assets/system-users"],
            "protocol": "ssh",
        }
        answer = self.client("admin").post("/api/v1/authentication/connection-token/", body, format="json")
        return {"connection": answer.json()["token"]}

    def with_opened_session(self) -> Values:
        pinned = HostKey.objects.get(asset=self.values["assets/assets"])
        answer = self.proxy.authorize(self.person, "one-host")
        assert answer.grant is not None, answer
        return {
            "opened": str(answer.grant.session_id),
            "title": "one root@one-host",
            "host": pinned.host,
            "host_key": pinned.public_key,
            "opening_key": answer.grant.opening_key,
        }

    def with_opened_session_behind_a_gateway(self) -> Values:
        Asset.objects.filter(pk=self.values["assets/assets"]).update(domain=self.values["assets/domains"])
        return self.with_opened_session()

    def with_announced_recording(self) -> Values:
        opened = self.with_opened_session()
        session_id = UUID(opened["opened"])
        content = MARK.encode() * 10
        self.proxy.start(session_id, recording=True)
        self.proxy.seal(session_id, content)
        return {**opened, "content": content, "last": len(content) - 1, "total": len(content)}

    def with_rules(self) -> Values:
        """Two rules in the filter of the settlement `one`."""
        filter_row = CommandFilter.objects.get(pk=self.values["assets/cmd-filters"])
        values = {"type": "command", "priority": 50, "action": 0, "comment": ""}
        made = [
            create_rule(actor=SYSTEM, filter_row=filter_row, values={**values, "content": content})
            for content in ("shutdown", "reboot")
        ]
        return {"rule": str(made[0].pk), "second_rule": str(made[1].pk)}

    def with_changed_setting(self) -> Values:
        """The audit record of a change of the site's address."""
        change_settings(actor=SYSTEM, changes={"SITE_URL": "https://gate.example.test"})
        return {"record": str(AuditEvent.objects.get(event="settings.updated").pk)}

    def with_directory_entry(self) -> Values:
        """A person of the directory, as the worker has read them."""
        DirectoryEntry.objects.create(
            uid="0f9c",
            digest="1",
            dn="uid=dana",
            username="dana",
            username_key="dana",
            name="Dana",
            email="d@example.com",
        )
        return {}

    def with_failed_delivery(self) -> Values:
        """A delivery by mail that failed, of the message that the administrator has."""
        message = SiteMessage.objects.get(subject="one subject")
        User.objects.filter(pk=self.admin.pk).update(email="")
        deliveries.enqueue(message, [self.admin.pk])
        return {"delivery": str(MessageDelivery.objects.get().pk)}

    def with_replay_storage(self) -> Values:
        meta = {"BUCKET": "recordings", "ENDPOINT": "https://169.254.169.254"}
        row = ReplayStorage.objects.create(name="archive", type="s3", meta=meta)
        for column in ("ACCESS_KEY", "SECRET_KEY"):
            vault.put_secret(storage_places.place_of(row, column), Secret("key"))
        return {"replay_storage": str(row.pk)}

    def with_webhook(self) -> Values:
        row = Webhook.objects.create(name="hook", address="https://198.51.100.7/hook", audit_categories=["refusals"])
        webhook_secrets.put(row.pk, webhook_secrets.new_secret())
        return {"webhook": str(row.pk)}

    def with_failed_webhook_delivery(self) -> Values:
        values = self.with_webhook()
        row = WebhookDelivery.objects.create(
            webhook_id=values["webhook"], source="audit:1", kind="audit.sign_in.failed", body="{}", state="failed"
        )
        return {"webhook_delivery": str(row.pk)}

    def with_stored_recording(self) -> Values:
        """A recording that was sealed with the key of this installation."""
        opened = self.with_opened_session()
        described = json.loads((RECORDINGS / "shell.json").read_text())
        manifest, content = described["manifest"], (RECORDINGS / "shell.postern").read_bytes()
        session_id = UUID(manifest["session_id"])
        Session.objects.filter(pk=opened["opened"]).update(id=session_id)
        self.proxy.start(session_id, recording=True)
        told = {name: manifest[name] for name in ("chain", "key_id", "duration_ms")}
        self.proxy.seal(session_id, content, **told)
        assert self.proxy.put(session_id, content, 0, len(content)).json()["stored"] is True
        settings.POSTERN.secrets_dir.mkdir(parents=True, exist_ok=True)
        (settings.POSTERN.secrets_dir / "recording_signing_key.pub").write_text(described["public_key"] + "\n")
        return {**opened, "recorded": str(session_id), "sha": hashlib.sha256(content).hexdigest()}
