"""Drives the product in the walks: its HTTP API in two browsers, sign-ins of a proxy, and actions of administrators.

A state can be saved and restored: the rows of all tables that the walks write, and the data of users and thieves
(cookies, secrets of apps, tokens). The clock advances only in `wait`.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final
from unittest import mock
from uuid import UUID

import pyotp
from django.conf import settings
from django.db import connection
from django.utils import timezone

from factories.browser import Browser
from factories.second_factor import App
from factories.soft_authenticator import ORIGIN, SoftKey, enrolled
from factories.ssh_proof import PROXY_ID
from postern.apps.authn import facade
from postern.apps.authn.external.actions.visits import LIFETIME
from postern.apps.authn.known_places.trust import standing_of
from postern.apps.authn.models import (
    ExternalAccount,
    ExternalRequest,
    LoginSession,
    Passkey,
    PendingSignIn,
    ProxySignIn,
    RecoveryCode,
    SignInGuard,
    TotpDevice,
    TrustedBrowser,
)
from postern.apps.authn.second_factors import recovery
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.authn.sign_in.api import device_cookie
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.credentials.actions.passwords import prepare_for_another, set_password
from postern.apps.users.models import Membership, PasswordHistory, User
from postern.apps.users.people.actions import people
from postern.apps.users.people.actions.people import PersonInput
from postern.contracts.access import SignInAnswer
from postern.contracts.enums import LoginFrom
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import ROOT
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, new_token, token_hash
from sign_in_walks.actions import ANN, BOB, PASSWORDS, Action
from writes.database import table_names

API: Final = "/api/v1/authentication/"
_SESSION, _TRUST = settings.SESSION_COOKIE_NAME, "postern_trust_"
_ADDRESS: Final = "192.0.2.9"
#: Start time of every walk, so that a seed gives the same walk at any time of day.
_BEGIN: Final = datetime(2026, 11, 26, 12, tzinfo=UTC)
#: Tables that only grow and have no effect on sign-ins.
_LOGS: Final = re.compile(r"audits_|foundation_outbox|notifications_")
_WRITE: Final = re.compile(
    r'\s*(?:INSERT(?: OR \w+)? INTO|UPDATE(?: OR \w+)?|DELETE FROM|REPLACE INTO)\s+"?(\w+)"?', re.IGNORECASE
)
#: All ages above this are equal in keys. No rule has a limit between this and a day, and no walk takes so many steps.
_OLD_S: Final = 15 * 60

Rows = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class OutsideState:
    """Data outside of the database. `cookies`: of each browser."""

    now_s: int
    cookies: tuple[dict[str, str], ...] = ({}, {})
    apps: tuple[tuple[str, str], ...] = ()
    number: int = 0
    visit: tuple[str, str] = ("", "")
    ssh_token: str = ""
    ticket: str = ""


@dataclass(frozen=True)
class State:
    """A saved state. `key`: states with the same key behave in the same way."""

    tables: dict[str, Rows]
    outside: OutsideState
    key: object


@dataclass(frozen=True)
class Seen:
    """The result of an action: success, the user of each browser, and whether the ticket is valid."""

    done: bool | None
    at: tuple[str, str]
    ticket: bool


class Product:
    """Use it inside a transaction that is rolled back."""

    def __init__(self, root: str) -> None:
        self._written: set[str] = set()
        self._tables: dict[str, Rows] = {}
        self._browsers = (Browser("192.0.2.1"), Browser("192.0.2.2"))
        self.outside = OutsideState(now_s=int(_BEGIN.timestamp()))
        self._written.update(name for name in table_names() if not _LOGS.match(name))
        with self.running():
            self._set_up(root)
            for browser in self._browsers:
                browser.get(f"{API}sign-in/")
            self.root = self._keep()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Set the clock to the time of the state, and record written tables."""
        with ExitStack() as stack:
            stack.enter_context(mock.patch.object(clock, "now", self._now))
            stack.enter_context(mock.patch.object(timezone, "now", self._now))
            stack.enter_context(connection.execute_wrapper(self._note))
            yield

    def run(self, state: State, action: Action) -> tuple[Seen, State]:
        """Run the action in this state. Call it in `running`."""
        self._restore(state)
        SignInGuard.objects.all().delete()  # other tests cover the number of free guesses
        done = getattr(self, f"_{action.verb}")(*action.values)
        at = self._who(0), self._who(1)
        seen = Seen(done, at, self._ticket_is_good())
        return seen, self._keep()

    # --- states ---

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.outside.now_s, UTC)

    def _note(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        match = _WRITE.match(sql)
        if match is not None and not _LOGS.match(match[1]):
            self._written.add(match[1])
        return execute(sql, params, many, context)

    def _keep(self) -> State:
        for browser in self._browsers:
            browser.cookies.pop("postern_visit", None)
        cookies = tuple({name: m.value for name, m in browser.cookies.items() if m.value} for browser in self._browsers)
        self.outside = replace(self.outside, cookies=cookies)
        with connection.cursor() as cursor:
            for table in sorted(self._written):
                rows = cursor.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608 - a table of ours
                self._tables = {**self._tables, table: tuple(rows)}
        self._written.clear()
        return State(self._tables, self.outside, self._key())

    def _restore(self, state: State) -> None:
        raw = connection.connection
        wanted = {table: state.tables.get(table, ()) for table in sorted({*self._tables, *self._written})}
        for table, rows in wanted.items():
            if table in self._written or self._tables.get(table) is not rows:
                raw.execute(f'DELETE FROM "{table}"')  # noqa: S608 - as above
                if rows:
                    marks = ",".join("?" * len(rows[0]))
                    raw.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)  # noqa: S608 - as above
        self._tables = wanted
        self._written.clear()
        self.outside = state.outside
        for browser, cookies in zip(self._browsers, state.outside.cookies, strict=True):
            browser.cookies.clear()
            for name, value in cookies.items():
                browser.cookies[name] = value

    def _key(self) -> object:
        """All data that later results can depend on: the users with their factors, and the rows that a cookie or token
        refers to. Rows without a reference are omitted.
        """
        epochs = {user.pk: user.session_epoch for user in User.objects.filter(username__in=(ANN, BOB))}
        users = tuple(User.objects.filter(pk__in=epochs).order_by("username").values_list("mfa_level", "is_active"))
        step = self.outside.now_s // 30
        apps = tuple(
            (name, max(last - step, -2), confirmed is not None)
            for name, last, confirmed in TotpDevice.objects.order_by("user__username", "date_confirmed").values_list(
                "user__username", "last_step", "date_confirmed"
            )
        )
        first_code = recovery.code_hash(self._ann.pk, self._recovery) if self._recovery else ""
        factors = (
            apps,
            tuple(Passkey.objects.order_by("user__username").values_list("user__username")),
            RecoveryCode.objects.filter(code_hash=first_code, date_used__isnull=True).exists(),
        )
        sessions = tuple(self._session_key(browser, epochs) for browser in self._browsers)
        names = [browser.cookies[_SESSION].value if _SESSION in browser.cookies else "" for browser in self._browsers]
        halves = PendingSignIn.objects.filter(token_hash=token_hash(self.outside.ssh_token))
        tickets = ProxySignIn.objects.filter(token_hash=token_hash(self.outside.ticket))
        visit = ExternalRequest.objects.filter(pk=self.outside.visit[0] or None).values_list("date_finished").first()
        return (
            users,
            factors,
            sessions,
            names[0] == names[1],
            tuple(self._half_key(row, epochs) for row in halves),
            tuple(
                (row.epoch == epochs[row.user_id], row.mfa, row.date_ended, self._age(row.date_expired))
                for row in tickets
            ),
            visit is not None and (visit[0] is not None,),
            self.outside.number,
        )

    def _session_key(self, browser: Browser, epochs: dict[UUID, int]) -> object:
        data: Any = {}
        if _SESSION in browser.cookies and browser.cookies[_SESSION].value:
            store = import_module(settings.SESSION_ENGINE).SessionStore(browser.cookies[_SESSION].value)
            data = dict(store.items())
        seats = [
            (
                row.user.username,
                row.epoch == epochs[row.user_id],
                row.mfa,
                row.date_ended is None,
                self._age(row.date_expired),
            )
            for row in LoginSession.objects.select_related("user").filter(pk=data.get("login_session"))
        ]
        halves = [self._half_key(row, epochs) for row in PendingSignIn.objects.filter(pk=data.get("pending_sign_in"))]
        trusts = sorted(
            (name, row.user.username, row.standing == standing_of(row.user), self._age(row.date_expired))
            for name, morsel in browser.cookies.items()
            if name.startswith(_TRUST) and morsel.value
            for row in TrustedBrowser.objects.select_related("user").filter(
                token_hash=token_hash(morsel.value.rpartition(":")[0])
            )
        )
        odd = sorted(name for name in browser.cookies if name.startswith(_TRUST))
        return tuple(seats), tuple(halves), tuple(trusts), tuple(odd)

    def _half_key(self, row: PendingSignIn, epochs: dict[UUID, int]) -> object:
        is_current = row.epoch == epochs[row.user_id]
        return row.user_id == self._ann.pk, is_current, row.tries, row.date_used is None, self._age(row.date_expired)

    def _age(self, instant: datetime) -> object:
        left = int(instant.timestamp()) - self.outside.now_s
        return left if abs(left) < _OLD_S else left > 0

    # --- the start ---

    def _set_up(self, root: str) -> None:
        preferences = {
            "SITE_URL": ORIGIN,
            "SECURITY_TRUSTED_BROWSER_DAYS": 7,
            "AUTH_WECOM": True,
            "SECURITY_PASSWORD_EXPIRATION_TIME": 9999,
        }
        for name, value in preferences.items():
            PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})
        self._ann, bob = (self._made(name) for name in (ANN, BOB))
        apps, self._keys = [(BOB, App(bob))], {BOB: enrolled(bob, counts=False)}
        self._keys[ANN] = SoftKey(counts=False)
        self._recovery = ""
        if root in {"passkey", "both"}:
            self._keys[ANN] = enrolled(self._ann, counts=False)
            self._recovery = mfa.renew_recovery_codes(actor=SYSTEM, user=self._ann)[0].reveal()
        if root in {"app", "both"}:
            apps.append((ANN, App(self._ann)))
            self._recovery = apps[-1][1].recovery[0]
        if root == "forced":
            self._level(2)
        secrets = []
        for name, app in apps:
            secret = app.secret()
            assert secret is not None
            secrets.append((name, secret.reveal()))
        self.outside = replace(self.outside, apps=tuple(secrets))
        ExternalAccount.objects.create(user=self._ann, provider="wecom", tenant="corp", subject="ann", name="Ann")

    @staticmethod
    def _made(name: str) -> User:
        user = User(username=name, name=name, email=f"{name}@example.test", is_first_login=False)
        user.set_password(PASSWORDS[0])
        user.save()
        Membership.objects.create(user=user, org_id=DEFAULT_ORG_ID)
        return user

    # --- what is seen ---

    def _who(self, browser: int) -> str:
        answer = self._browsers[browser].get("/api/v1/users/profile/")
        return str(answer.json()["username"]) if answer.status_code == 200 else ""

    def _ticket_is_good(self) -> bool:
        if not self.outside.ticket:
            return False
        holder = facade.ticket_holder(self.outside.ticket, proxy_id=PROXY_ID, remote_addr=_ADDRESS)
        return holder.fault is None

    def _post(self, browser: int, path: str, body: Any = None) -> Any:
        return self._browsers[browser].post(f"{API}{path}", body if body is not None else {}, format="json")

    def _totp(self, name: str) -> str:
        secret = dict(self.outside.apps).get(name)
        return pyotp.TOTP(secret).at(clock.now()) if secret is not None else "000000"

    # --- first factors ---

    def _password(self, browser: int, name: str, number: int) -> bool:
        return bool(self._browsers[browser].sign_in(name, PASSWORDS[number]).status_code == 200)

    def _provider(self, browser: int) -> bool:
        token, now = new_token(), clock.now()
        visit = ExternalRequest.objects.create(
            provider="wecom",
            purpose="sign_in",
            state_hash=token_hash(new_token()),
            browser_hash=token_hash(token),
            tenant="corp",
            subject="ann",
            target="/ui/",
            date_created=now,
            date_redeemed=now,
            date_expired=now + LIFETIME,
        )
        self.outside = replace(self.outside, visit=(str(visit.pk), token))
        return self._same_visit_again(browser)

    def _same_visit_again(self, browser: int) -> bool:
        visit, token = self.outside.visit
        self._browsers[browser].cookies["postern_visit"] = token
        return bool(self._post(browser, "external/sign-in/", {"id": visit}).status_code == 200)

    def _passkey_alone(self, browser: int, name: str, with_pin: bool) -> bool:
        request = self._post(browser, "passkeys/sign-in/start/").json()
        credential = self._keys[name].show(request, verified=with_pin)
        return bool(self._post(browser, "passkeys/sign-in/", {"credential": credential}).status_code == 200)

    # --- second factors ---

    def _code(self, browser: int, name: str, trusts: bool) -> bool:
        body = {"code": self._totp(name), "trust": trusts}
        return bool(self._post(browser, "mfa/challenge/", body).status_code == 200)

    def _wrong_code(self, browser: int) -> bool:
        valid_codes = {self._totp(name) for name in (ANN, BOB)}
        code = next(text for text in ("123456", "654321", "111111") if text not in valid_codes)
        return bool(self._post(browser, "mfa/challenge/", {"code": code}).status_code == 200)

    def _recovery_code(self, browser: int) -> bool:
        body = {"code": self._recovery or "none", "type": "recovery"}
        return bool(self._post(browser, "mfa/challenge/", body).status_code == 200)

    def _passkey(self, browser: int, name: str) -> bool:
        response = self._post(browser, "passkeys/challenge/start/")
        if response.status_code != 200:
            return False
        credential = self._keys[name].show(response.json())
        return bool(self._post(browser, "passkeys/challenge/", {"credential": credential}).status_code == 200)

    def _enrol(self, browser: int) -> bool:
        begun = self._post(browser, "otp/enrol/start/")
        if begun.status_code != 200:
            return False
        secret = begun.json()["secret"]
        code = pyotp.TOTP(secret).at(clock.now())
        done = self._post(browser, "otp/enrol/confirm/", {"code": code}).status_code == 200
        apps = dict(self.outside.apps) | {ANN: secret}
        self.outside = replace(self.outside, apps=tuple(apps.items()))
        return bool(done)

    # --- sessions ---

    def _sign_out(self, browser: int) -> None:
        self._post(browser, "sign-out/")

    def _copy_session(self) -> None:
        for name in (_SESSION, "csrftoken"):
            self._browsers[1].cookies.pop(name, None)
            if name in self._browsers[0].cookies:
                self._browsers[1].cookies[name] = self._browsers[0].cookies[name].value

    def _claim_trust_for_bob(self) -> None:
        cookies = self._browsers[0].cookies
        own, other = (device_cookie.name_for(_TRUST, name) for name in (ANN, BOB))
        if own in cookies:
            cookies[other] = cookies[own].value

    # --- SSH ---

    def _ssh_password(self, number: int) -> bool:
        answer = facade.check_password(
            username=ANN,
            password=PASSWORDS[number],
            remote_addr=_ADDRESS,
            login_from=LoginFrom.SSH_TERMINAL,
            proxy_id=PROXY_ID,
        )
        if answer.second_factor is not None:
            self.outside = replace(self.outside, ssh_token=answer.second_factor.token)
            return True
        return self._ticket_of(answer)

    def _ssh_code(self, name: str) -> bool:
        token = self.outside.ssh_token or "none"
        return self._ticket_of(
            facade.sign_in_with_code(token=token, code=self._totp(name), remote_addr=_ADDRESS, proxy_id=PROXY_ID)
        )

    def _ticket_of(self, answer: SignInAnswer) -> bool:
        if answer.ticket:
            self.outside = replace(self.outside, ticket=answer.ticket)
        return answer.user is not None

    # --- administrators, and time ---

    @property
    def _fresh_ann(self) -> User:
        return User.objects.get(pk=self._ann.pk)

    def _reset_mfa(self) -> None:
        mfa.reset(actor=SYSTEM, user=self._fresh_ann)

    def _set_password(self) -> None:
        PasswordHistory.objects.all().delete()  # other tests cover repeated passwords
        user = self._fresh_ann
        set_password(actor=SYSTEM, user=user, new=prepare_for_another(SYSTEM, user, PASSWORDS[1]))
        self.outside = replace(self.outside, number=1)

    def _change(self, **columns: object) -> None:
        people.update_user(actor=SYSTEM, scope=ROOT, user=self._fresh_ann, person=PersonInput(columns=columns))

    def _disable(self) -> None:
        self._change(is_active=False)

    def _enable(self) -> None:
        self._change(is_active=True)

    def _level(self, level: int) -> None:
        self._change(mfa_level=level)

    def _wait(self, seconds: int) -> None:
        self.outside = replace(self.outside, now_s=self.outside.now_s + seconds)
