"""The actions of users, thieves and administrators in the walks."""

from typing import Final, NamedTuple

ANN, BOB = "ann", "bob"
BROWSERS: Final = (0, 1)
#: Ann's password at the start, and the password that an administrator sets.
PASSWORDS: Final = ("violet anchor seventeen", "copper lantern drifting")
#: Durations in seconds: longer than a pending sign-in is valid; longer than a browser is trusted.
MINUTES, DAYS = 11 * 60, 8 * 24 * 3600


class Action(NamedTuple):
    """`verb` is a method of the product's driver and of the oracle; `values` are its arguments."""

    verb: str
    values: tuple[object, ...] = ()

    def __str__(self) -> str:
        return f"{self.verb}({', '.join(map(repr, self.values))})"


def _in_each_browser(verb: str, *values: object) -> list[Action]:
    return [Action(verb, (browser, *values)) for browser in BROWSERS]


ACTIONS: Final[tuple[Action, ...]] = (
    *_in_each_browser("password", ANN, 0),
    *_in_each_browser("password", ANN, 1),
    *_in_each_browser("password", BOB, 0),
    *_in_each_browser("code", ANN, False),
    Action("code", (0, ANN, True)),
    *_in_each_browser("code", BOB, False),
    *_in_each_browser("wrong_code"),
    *_in_each_browser("recovery_code"),
    *_in_each_browser("passkey", ANN),
    Action("passkey", (0, BOB)),
    Action("passkey_alone", (0, ANN, True)),
    Action("passkey_alone", (1, ANN, False)),
    *_in_each_browser("enrol"),
    *_in_each_browser("provider"),
    *_in_each_browser("same_visit_again"),
    *_in_each_browser("sign_out"),
    Action("copy_session"),
    Action("claim_trust_for_bob"),
    Action("ssh_password", (0,)),
    Action("ssh_password", (1,)),
    Action("ssh_code", (ANN,)),
    Action("ssh_code", (BOB,)),
    Action("reset_mfa"),
    Action("set_password"),
    Action("disable"),
    Action("enable"),
    Action("level", (0,)),
    Action("level", (2,)),
    Action("wait", (MINUTES,)),
    Action("wait", (DAYS,)),
)
#: Weights of actions. Right factors are frequent, because walks without them test little.
_OFTEN: Final = {
    ("password", 0): 6,
    ("code", False): 6,
    ("code", True): 6,
    ("ssh_code", ANN): 3,
    ("ssh_password", 0): 3,
}
WEIGHTS: Final = tuple(_OFTEN.get((action.verb, action.values[-1]), 1) if action.values else 1 for action in ACTIONS)
#: Factors of Ann at the start. Bob has all factors.
ROOTS: Final = ("bare", "forced", "app", "passkey", "both")
