"""The oracle: computes who may be signed in after each action, independently of the product.

The rules: a password, a sign-in with a bound provider, or a passkey with its PIN is a first factor; the passkey is also
the second factor. A user with MFA, by choice or by force, needs a second factor: a new code of their app, an unused
recovery code, or a passkey of theirs, in the browser of the first factor and within ten minutes of it. A trusted
browser replaces the second factor until the trust ends. A user without a second factor who needs one sets up an app
during the sign-in. A new password, a reset of the second factor, and disabling the account end all earlier sign-ins.
"""

from dataclasses import dataclass, field

from sign_in_walks.actions import ANN, BOB, Action

_STEP_S = 30
_PENDING_S = 600
_TRUST_S = 7 * 24 * 3600
_SESSION_S = 24 * 3600
_TICKET_S = 600
_TRIES = 5


@dataclass
class Person:
    """`era` increases whenever all earlier sign-ins end."""

    password: int = 0
    level: int = 0
    has_app: bool = False
    has_passkey: bool = False
    has_codes: bool = False
    active: bool = True
    era: int = 0
    trust_era: int = 0
    last_step: int = -1

    @property
    def needs_second(self) -> bool:
        return self.level > 0

    @property
    def has_factor(self) -> bool:
        return self.has_app or self.has_passkey


@dataclass
class Seat:
    """A sign-in of a browser. `second`: with a second factor."""

    name: str
    era: int
    second: bool
    until_s: int
    ended: bool = False


@dataclass
class Half:
    """A pending sign-in: a first factor without its second factor."""

    name: str
    era: int
    until_s: int
    tries: int = 0
    used: bool = False


@dataclass
class Trust:
    era: int
    trust_era: int
    level: int
    until_s: int


@dataclass
class Cookie:
    """The content of a browser's session."""

    seat: Seat | None = None
    half: Half | None = None


@dataclass
class Oracle:
    now_s: int
    people: dict[str, Person]
    cookies: list[Cookie] = field(default_factory=lambda: [Cookie(), Cookie()])
    trusts: list[dict[str, Trust]] = field(default_factory=lambda: [{}, {}])
    visit_is_open: bool = False
    ssh_half: Half | None = None
    ticket: Seat | None = None

    @classmethod
    def at(cls, root: str, now_s: int) -> "Oracle":
        """The oracle at the start of a walk."""
        ann = Person(
            level={"bare": 0, "forced": 2}.get(root, 1),
            has_app=root in {"app", "both"},
            has_passkey=root in {"passkey", "both"},
            has_codes=root in {"app", "passkey", "both"},
        )
        bob = Person(level=1, has_app=True, has_passkey=True)
        return cls(now_s, {ANN: ann, BOB: bob})

    def does(self, action: Action) -> bool | None:
        """Apply the action. Returns whether it succeeds; None for actions without a result."""
        done: bool | None = getattr(self, action.verb)(*action.values)
        return done

    def seen(self) -> tuple[str, str]:
        """The user who is signed in at each browser."""
        return self._at(0), self._at(1)

    def may_hold_ticket(self) -> bool:
        """Whether the SSH ticket may be valid."""
        ticket = self.ticket
        if ticket is None:
            return False
        person = self.people[ticket.name]
        is_current = person.active and ticket.era == person.era and self.now_s < ticket.until_s
        return is_current and (ticket.second or not person.needs_second)

    def _at(self, browser: int) -> str:
        seat = self.cookies[browser].seat
        if seat is None or seat.ended or self.now_s >= seat.until_s:
            return ""
        person = self.people[seat.name]
        if not person.active or seat.era != person.era or (person.level == 2 and not seat.second):
            return ""
        return seat.name

    # --- first factors ---

    def password(self, browser: int, name: str, number: int) -> bool:
        person = self.people[name]
        return person.password == number and person.active and self._first(browser, name)

    def provider(self, browser: int) -> bool:
        self.visit_is_open = False
        done = self.people[ANN].active
        return done and self._first(browser, ANN)

    def same_visit_again(self, browser: int) -> bool:
        return False

    def passkey_alone(self, browser: int, name: str, with_pin: bool) -> bool:
        person = self.people[name]
        if not person.has_passkey or not with_pin or not person.active:
            return False
        self._sit(browser, name, second=True)
        return True

    def _first(self, browser: int, name: str) -> bool:
        person = self.people[name]
        if not person.needs_second:
            self._sit(browser, name, second=False)
        elif person.has_factor and self._is_trusted(browser, name):
            self._sit(browser, name, second=True)
        else:
            self._replace(browser, Cookie(half=Half(name, person.era, self.now_s + _PENDING_S)))
        return True

    def _is_trusted(self, browser: int, name: str) -> bool:
        trust, person = self.trusts[browser].get(name), self.people[name]
        if trust is None or self.now_s >= trust.until_s:
            return False
        return (trust.era, trust.trust_era, trust.level) == (person.era, person.trust_era, person.level)

    # --- second factors ---

    def code(self, browser: int, name: str, trusts: bool) -> bool:
        half = self._try(self._half(browser))
        if half is None or half.name != name or not self._spend_code(name):
            return False
        self._complete(browser, half)
        if trusts:
            person = self.people[name]
            self.trusts[browser][name] = Trust(person.era, person.trust_era, person.level, self.now_s + _TRUST_S)
        return True

    def wrong_code(self, browser: int) -> bool:
        self._try(self._half(browser))
        return False

    def recovery_code(self, browser: int) -> bool:
        """The first recovery code that Ann has saved at the start."""
        half, ann = self._try(self._half(browser)), self.people[ANN]
        if half is None or half.name != ANN or not ann.has_factor or not ann.has_codes:
            return False
        ann.has_codes = False
        self._complete(browser, half)
        return True

    def passkey(self, browser: int, name: str) -> bool:
        half = self._half(browser)
        if half is None or not self.people[half.name].has_passkey:  # the product requests no passkey then
            return False
        self._try(half)
        if half.name != name or not self.people[name].has_passkey:
            return False
        self._complete(browser, half)
        return True

    def enrol(self, browser: int) -> bool:
        half = self._half(browser)
        if half is None or self.people[half.name].has_factor:
            return False
        person = self.people[half.name]
        person.has_app, person.level, person.last_step = True, max(person.level, 1), self.now_s // _STEP_S
        person.has_codes = False  # the new codes are not used in the walks
        self._end(half.name)
        self._complete(browser, half)
        return True

    def _half(self, browser: int) -> Half | None:
        return self._alive(self.cookies[browser].half)

    def _alive(self, half: Half | None) -> Half | None:
        if half is None or half.used or half.tries >= _TRIES or self.now_s >= half.until_s:
            return None
        person = self.people[half.name]
        return half if person.active and half.era == person.era else None

    @staticmethod
    def _try(half: Half | None) -> Half | None:
        if half is not None:
            half.tries += 1
        return half

    def _spend_code(self, name: str) -> bool:
        """An app shows one code per time step, and each code is accepted once."""
        person = self.people[name]
        if not person.has_app or person.last_step >= self.now_s // _STEP_S:
            return False
        person.last_step = self.now_s // _STEP_S
        return True

    def _complete(self, browser: int, half: Half) -> None:
        half.used = True
        self._sit(browser, half.name, second=True)

    # --- sessions ---

    def _sit(self, browser: int, name: str, *, second: bool) -> None:
        seat = Seat(name, self.people[name].era, second, self.now_s + _SESSION_S)
        self._replace(browser, Cookie(seat=seat))

    def _replace(self, browser: int, cookie: Cookie) -> None:
        """End the former session of this browser, also in a browser with a copy of its cookie."""
        former = self.cookies[browser]
        self.cookies = [Cookie() if other is former else other for other in self.cookies]
        self.cookies[browser] = cookie

    def _end(self, name: str) -> None:
        """End all sign-ins and all trust of the user."""
        self.people[name].trust_era += 1
        for cookie in self.cookies:
            if cookie.seat is not None and cookie.seat.name == name:
                cookie.seat.ended = True

    def sign_out(self, browser: int) -> None:
        if self._at(browser):
            self._replace(browser, Cookie())

    def copy_session(self) -> None:
        self.cookies[1] = self.cookies[0]

    def claim_trust_for_bob(self) -> None:
        """Replace Bob's trust cookie with Ann's. It has no effect, and Bob's own trust is lost."""
        if ANN in self.trusts[0]:
            self.trusts[0].pop(BOB, None)

    # --- SSH ---

    def ssh_password(self, number: int) -> bool:
        ann = self.people[ANN]
        if ann.password != number or not ann.active or (ann.needs_second and not ann.has_app):
            return False
        if ann.needs_second:
            self.ssh_half = Half(ANN, ann.era, self.now_s + _PENDING_S)
        else:
            self.ticket = Seat(ANN, ann.era, second=False, until_s=self.now_s + _TICKET_S)
        return True

    def ssh_code(self, name: str) -> bool:
        half = self._try(self._alive(self.ssh_half))
        if half is None or name != half.name or not self._spend_code(name):
            return False
        half.used = True
        self.ticket = Seat(name, self.people[name].era, second=True, until_s=self.now_s + _TICKET_S)
        return True

    # --- administrators, and time ---

    def reset_mfa(self) -> None:
        ann = self.people[ANN]
        ann.has_app = ann.has_passkey = ann.has_codes = False
        self._end(ANN)
        for half in (*[cookie.half for cookie in self.cookies], self.ssh_half):
            if half is not None and half.name == ANN:
                half.used = True

    def set_password(self) -> None:
        self.people[ANN].password = 1
        self.people[ANN].era += 1

    def disable(self) -> None:
        ann = self.people[ANN]
        ann.era += ann.active
        ann.active = False

    def enable(self) -> None:
        self.people[ANN].active = True

    def level(self, level: int) -> None:
        self.people[ANN].level = level

    def wait(self, seconds: int) -> None:
        self.now_s += seconds
