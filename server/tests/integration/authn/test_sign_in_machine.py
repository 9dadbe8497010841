"""Random sequences of sign-in steps (K27: no order of steps signs anybody in without every factor).

Two users act on two browsers. A small model computes who must be signed in, and is compared with the server after
every step. Bob starts with a second factor, Ann without one.
"""

from dataclasses import dataclass
from datetime import timedelta

import pyotp
import pytest
from django.test import override_settings
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from factories.browser import Browser
from factories.second_factor import App, FoundApp
from postern.apps.authn.models import KnownPlace, SignInGuard
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.users.credentials.actions.passwords import prepare_for_another, set_password
from postern.apps.users.models import Membership, PasswordHistory, User
from postern.apps.users.people.actions import people
from postern.apps.users.people.actions.people import PersonInput
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import ROOT
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

NAMES = ("ann", "bob")
PASSWORDS = ("violet anchor seventeen", "copper lantern drifting", "meadow ladder thirteen")
PROFILE = "/api/v1/users/profile/"
CHALLENGE = "/api/v1/authentication/mfa/challenge/"
START = "/api/v1/authentication/otp/enrol/start/"
CONFIRM = "/api/v1/authentication/otp/enrol/confirm/"
ELSEWHERE = "/api/v1/authentication/login-sessions/"

names = st.sampled_from(NAMES)
browsers = st.integers(0, 1)
#: Mostly the initial password, because sequences that never pass the password test little.
passwords = st.sampled_from((*PASSWORDS, *[PASSWORDS[0]] * 5))
sign_ins = st.tuples(st.just("sign_in"), browsers, names, passwords)
codes = st.tuples(st.just("code"), browsers, st.sampled_from(["ann", "bob", "wrong", "recovery"]))
enrolments = st.tuples(st.just("enrol"), browsers)
levels = st.tuples(st.just("level"), names, st.sampled_from([0, 1, 2, 2]))
steps = st.one_of(
    sign_ins,
    sign_ins,
    sign_ins,
    st.tuples(st.just("sign_out"), browsers),
    st.tuples(st.just("change_own"), browsers, passwords, passwords),
    st.tuples(st.just("set_by_admin"), names, passwords),
    codes,
    codes,
    enrolments,
    enrolments,
    levels,
    levels,
    st.tuples(st.just("reset"), names),
    st.tuples(st.sampled_from(["disable", "enable", "expire", "extend", "due", "copy_cookie", "lock"]), names),
)


@dataclass
class Person:
    """The state of a user in the model. `era` increases whenever all earlier sign-ins of the user must end."""

    password: str = PASSWORDS[0]
    active: bool = True
    expired: bool = False
    due: bool = False
    era: int = 0
    locked: bool = False
    level: int = 0
    app: App | None = None

    @property
    def demands(self) -> str:
        """What is required after the password: `nothing`, `code` or `enrolment`."""
        if self.level == 0:
            return "nothing"
        return "enrolment" if self.app is None else "code"


@dataclass
class Seat:
    """The sign-in of a browser: user, era, and whether with the second factor."""

    name: str
    era: int
    mfa: bool = False
    ended: bool = False


@dataclass
class Half:
    """A pending sign-in of a browser, after the first factor."""

    name: str
    era: int
    tries: int = 0


@pytest.mark.usefixtures("without_waits")
@override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
class SignInMachine(TestCase):
    @settings(max_examples=80, suppress_health_check=list(HealthCheck))
    @given(st.lists(steps, min_size=4, max_size=18))
    @example([("sign_in", 1, "ann", PASSWORDS[0]), ("level", "ann", 2), ("sign_out", 1), ("level", "ann", 0)])
    def test_k27_no_order_of_steps_bypasses_a_factor(self, story: list[tuple[object, ...]]):
        self.model = {name: Person() for name in NAMES}
        self.seats: list[Seat | None] = [None, None]
        self.halves: list[Half | None] = [None, None]
        self.browsers = [Browser("192.0.2.1"), Browser("192.0.2.2")]
        for name in NAMES:
            user = User(username=name, name=name, email=f"{name}@example.test", is_first_login=False)
            user.set_password(PASSWORDS[0])
            user.save()
            Membership.objects.create(user=user, org_id=DEFAULT_ORG_ID)
        self.model["bob"].app, self.model["bob"].level = App(User.objects.get(username="bob")), 1
        for step in story:
            getattr(self, f"_{step[0]}")(*step[1:])
            self._agree(step)

    def _agree(self, step: tuple[object, ...]) -> None:
        for browser, seat in zip(self.browsers, self.seats, strict=True):
            person = self.model[seat.name] if seat else None
            in_session = (
                seat is not None
                and person is not None
                and not seat.ended
                and seat.era == person.era
                and person.active
                and (seat.mfa or person.level < 2)
            )
            profile = browser.get(PROFILE)
            assert (profile.status_code == 200) == in_session, (step, profile.status_code)
            if in_session and seat is not None and person is not None:
                assert profile.json()["username"] == seat.name
                free = not person.expired and not person.due
                assert (browser.get(ELSEWHERE).status_code == 200) == free, step

    def _user(self, name: str) -> User:
        return User.objects.get(username=name)

    def _sign_in(self, at: int, name: str, password: str) -> None:
        person = self.model[name]
        if person.locked:
            assert self.browsers[at].sign_in(name, password).status_code == 400
            return
        self._forget_failures()
        answer = self.browsers[at].sign_in(name, password)
        right = password == person.password and person.active and not person.expired
        assert (answer.status_code == 200) == right
        if not right:
            return
        self._leave(at)
        if person.demands == "nothing":
            assert answer.json()["must_change_password"] == person.due
            self.seats[at] = Seat(name, person.era)
        else:
            assert answer.json()["error"] == {"code": "mfa_required", "enrolment": "mfa_unset"}[person.demands]
            self.halves[at] = Half(name, person.era)

    def _half(self, at: int) -> tuple[Half, Person] | None:
        """The pending sign-in of a browser and its user, or None when it may not continue."""
        half = self.halves[at]
        if half is None:
            return None
        person = self.model[half.name]
        alive = half.era == person.era and person.active and half.tries < 5
        return (half, person) if alive else None

    def _code(self, at: int, chosen: str) -> None:
        self._forget_failures()
        code, kind, owner_name = "", "code", ""
        if chosen == "recovery":
            owner = self.model["bob"].app
            code, kind, owner_name = (owner.recovery.pop() if owner and owner.recovery else "none", "recovery", "bob")
        elif chosen == "wrong":
            code = self._wrong()
        else:
            app = self.model[chosen].app
            if app is not None:
                app.forget_used()
                code, owner_name = app.code(), chosen
        answer = self.browsers[at].post(CHALLENGE, {"code": code or "123456", "type": kind})
        under_way = self._half(at)
        right = (
            under_way is not None
            and under_way[0].name == owner_name
            and under_way[1].app is not None
            and code != "none"
        )
        if under_way is not None and under_way[1].locked:  # the code of a locked user is not checked
            right = False
        may_act = under_way is not None and not under_way[1].expired
        assert (answer.status_code == 200) == (right and may_act), (answer.status_code, answer.content)
        if under_way is None:
            return
        half, person = under_way
        half.tries += 1
        if right:
            self._drop_half(half)
        if answer.status_code == 200:
            self._leave(at)
            self.seats[at] = Seat(half.name, person.era, mfa=True)

    def _drop_half(self, half: Half) -> None:
        """End a pending sign-in in every browser that has its cookie."""
        self.halves = [None if pending is half else pending for pending in self.halves]

    def _wrong(self) -> str:
        apps = [person.app for person in self.model.values() if person.app is not None]
        near = {app.code(steps=offset) for app in apps for offset in range(-2, 12)}
        return next(text for text in (f"{number:06d}" for number in range(1_000)) if text not in near)

    def _enrol(self, at: int) -> None:
        """Set up an app during a sign-in. In a session this would need the password again, which no step sends."""
        under_way = self._half(at)
        begun = self.browsers[at].post(START)
        due = under_way is not None and under_way[1].app is None
        assert (begun.status_code == 200) == (due and self.seats[at] is None), begun.content
        if begun.status_code != 200 or under_way is None:
            return
        half, person = under_way
        secret = begun.json()["secret"]
        answer = self.browsers[at].post(CONFIRM, {"code": pyotp.TOTP(secret).now()})
        person.app = FoundApp(self._user(half.name), secret)
        person.level = max(person.level, 1)
        self._end_others(half.name)
        self._drop_half(half)
        assert (answer.status_code == 200) == (not person.expired), answer.content
        if answer.status_code == 200:
            self._leave(at)
            self.seats[at] = Seat(half.name, person.era, mfa=True)

    def _end_others(self, name: str) -> None:
        for seat in self.seats:
            if seat is not None and seat.name == name:
                seat.ended = True

    def _level(self, name: str, level: int) -> None:
        self._update(name, mfa_level=level)
        self.model[name].level = level

    def _reset(self, name: str) -> None:
        mfa.reset(actor=SYSTEM, user=self._user(name))
        self.model[name].app = None
        self._end_others(name)
        self.halves = [None if half and half.name == name else half for half in self.halves]

    def _sign_out(self, at: int) -> None:
        answer = self.browsers[at].post("/api/v1/authentication/sign-out/")
        assert answer.status_code in (200, 403)
        if self.halves[at] is None:
            self._leave(at)

    def _leave(self, at: int) -> None:
        """End the session of this browser in every browser that has its cookie."""
        left, half = self.seats[at], self.halves[at]
        self.seats = [None if seat is left else seat for seat in self.seats]
        self.halves = [None if pending is half else pending for pending in self.halves]

    def _change_own(self, at: int, old: str, new: str) -> None:
        seat = self.seats[at]
        body = {"old_password": old, "new_password": new, "new_password_again": new}
        PasswordHistory.objects.all().delete()
        answer = self.browsers[at].put("/api/v1/users/profile/password/", body)
        if answer.status_code == 200:
            assert seat is not None
            person = self.model[seat.name]
            assert old == person.password
            person.password, person.due = new, False
            person.era += 1
            self._leave(at)  # a copied cookie becomes invalid, because the session key changes
            self.seats[at] = Seat(seat.name, person.era, mfa=seat.mfa)

    def _set_by_admin(self, name: str, password: str) -> None:
        PasswordHistory.objects.all().delete()  # other tests cover repeated passwords
        user = self._user(name)
        set_password(actor=SYSTEM, user=user, new=prepare_for_another(SYSTEM, user, password))
        self.model[name].password = password
        self.model[name].era += 1

    def _update(self, name: str, **columns: object) -> None:
        people.update_user(actor=SYSTEM, scope=ROOT, user=self._user(name), person=PersonInput(columns=columns))

    def _disable(self, name: str) -> None:
        was_valid = self._user(name).is_valid
        self._update(name, is_active=False)
        self.model[name].active = False
        self.model[name].era += was_valid

    def _enable(self, name: str) -> None:
        self._update(name, is_active=True)
        self.model[name].active = True

    def _expire(self, name: str) -> None:
        was_valid = self._user(name).is_valid
        self._update(name, date_expired=clock.now() - timedelta(seconds=1))
        self.model[name].expired = True
        self.model[name].era += was_valid

    def _extend(self, name: str) -> None:
        self._update(name, date_expired=clock.now() + timedelta(days=1))
        self.model[name].expired = False

    def _due(self, name: str) -> None:
        self._update(name, need_update_password=True)
        self.model[name].due = True

    def _lock(self, name: str) -> None:
        self._forget_failures()
        for _ in range(7):
            Browser("198.51.100.1").sign_in(name, "wrong")
        KnownPlace.objects.all().delete()  # known places are exempt from the lock; other tests cover them
        self.model[name].locked = True

    def _forget_failures(self) -> None:
        """Other tests cover counting. This test only needs complete locks."""
        SignInGuard.objects.filter(kind="address").delete()
        SignInGuard.objects.filter(date_locked_until__isnull=True).delete()

    def _copy_cookie(self, name: str) -> None:
        """Copy the cookie of the first browser to the second, which then has the same session and no more."""
        del name
        cookies = self.browsers[0].cookies
        if "sessionid" in cookies:
            for kind in ("sessionid", "csrftoken"):
                self.browsers[1].cookies[kind] = cookies[kind].value
            self.seats[1], self.halves[1] = self.seats[0], self.halves[0]
