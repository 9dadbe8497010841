"""K27: however the steps of signing in are mixed, nobody is in who has not shown everything that is asked of him.

Random stories of two people on two browsers are played against a small model of who must be in, and the server has
to agree after every step.
"""

from dataclasses import dataclass
from datetime import timedelta

from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from factories.browser import Browser
from postern.apps.authn.models import SignInGuard
from postern.apps.users.actions import people
from postern.apps.users.actions.passwords import set_password
from postern.apps.users.actions.people import PersonInput
from postern.apps.users.models import Membership, PasswordHistory, User
from postern.foundation.actor import SYSTEM
from postern.foundation.scope import ROOT
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

NAMES = ("ann", "bob")
PASSWORDS = ("violet anchor seventeen", "copper lantern drifting", "meadow ladder thirteen")
PROFILE = "/api/v1/users/profile/"
ELSEWHERE = "/api/v1/authentication/login-sessions/"

names = st.sampled_from(NAMES)
browsers = st.integers(0, 1)
passwords = st.sampled_from(PASSWORDS)
steps = st.one_of(
    st.tuples(st.just("sign_in"), browsers, names, passwords),
    st.tuples(st.just("sign_out"), browsers),
    st.tuples(st.just("change_own"), browsers, passwords, passwords),
    st.tuples(st.just("set_by_admin"), names, passwords),
    st.tuples(st.sampled_from(["disable", "enable", "expire", "extend", "due", "copy_cookie", "lock"]), names),
)


@dataclass
class Person:
    """What the model knows of a person. `era` grows whenever everything opened before has to be over."""

    password: str = PASSWORDS[0]
    active: bool = True
    expired: bool = False
    due: bool = False
    era: int = 0
    locked: bool = False


@dataclass
class Seat:
    """Who sits at a browser, and since which era."""

    name: str
    era: int


@override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
class SignInMachine(TestCase):
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(steps, min_size=3, max_size=14))
    def test_k27_no_mix_of_steps_lets_anybody_in_who_should_not_be(self, story: list[tuple[object, ...]]):
        self.model = {name: Person() for name in NAMES}
        self.seats: list[Seat | None] = [None, None]
        self.browsers = [Browser("192.0.2.1"), Browser("192.0.2.2")]
        for name in NAMES:
            user = User(username=name, name=name, email=f"{name}@example.test")
            user.set_password(PASSWORDS[0])
            user.save()
            Membership.objects.create(user=user, org_id=DEFAULT_ORG_ID)
        for step in story:
            getattr(self, f"_{step[0]}")(*step[1:])
            self._agree(step)

    def _agree(self, step: tuple[object, ...]) -> None:
        for browser, seat in zip(self.browsers, self.seats, strict=True):
            person = self.model[seat.name] if seat else None
            in_session = seat is not None and person is not None and seat.era == person.era and person.active
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
        if right:
            assert answer.json()["must_change_password"] == person.due
            self._leave(at)
            self.seats[at] = Seat(name, person.era)

    def _sign_out(self, at: int) -> None:
        self.browsers[at].post("/api/v1/authentication/sign-out/")
        self._leave(at)

    def _leave(self, at: int) -> None:
        """The session at this browser is over, wherever else its cookie has been copied to."""
        left = self.seats[at]
        self.seats = [None if seat is left else seat for seat in self.seats]

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
            self._leave(at)  # a copied cookie does not survive: the key changes
            self.seats[at] = Seat(seat.name, person.era)

    def _set_by_admin(self, name: str, password: str) -> None:
        PasswordHistory.objects.all().delete()  # repeated passwords have a test of their own
        set_password(actor=SYSTEM, user=self._user(name), password=password)
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
        self.model[name].locked = True

    def _forget_failures(self) -> None:
        """Counting has tests of its own; here only whole locks matter."""
        SignInGuard.objects.filter(kind="address").delete()
        SignInGuard.objects.filter(date_locked_until__isnull=True).delete()

    def _copy_cookie(self, name: str) -> None:
        """Somebody takes the cookie of one browser to the other: he then is whoever sits there, and no more."""
        del name
        cookies = self.browsers[0].cookies
        if "sessionid" in cookies:
            for kind in ("sessionid", "csrftoken"):
                self.browsers[1].cookies[kind] = cookies[kind].value
            self.seats[1] = self.seats[0]
