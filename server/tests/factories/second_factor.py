"""An authenticator app for tests."""

import pyotp

from postern.apps.authn.models import TotpDevice
from postern.apps.authn.second_factors import totp_secrets
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.secret import Secret


class App:
    """The app of one user, set up by the real actions."""

    def __init__(self, user: User) -> None:
        self.user = user
        begun = mfa.begin_enrolment(actor=SYSTEM, user=user)
        self._codes = pyotp.TOTP(begun.secret.reveal())
        self.recovery = [
            code.reveal()
            for code in mfa.confirm_enrolment(actor=SYSTEM, user=user, code=self._codes.at(clock.now()), keep=None)
        ]
        self.forget_used()

    def code(self, *, steps: int = 0) -> str:
        """The code that the app shows now, or `steps` steps of 30 s later."""
        return self._codes.at(clock.now(), counter_offset=steps)

    def wrong(self) -> str:
        """Six digits that are not a code of the app, neither now nor in the next minutes."""
        near = {self.code(steps=offset) for offset in range(-2, 12)}
        return next(text for text in (f"{number:06d}" for number in range(1_000)) if text not in near)

    def forget_used(self) -> None:
        """Allow the present code again. Each code works once, and a test is shorter than a time step."""
        TotpDevice.objects.filter(user=self.user).update(last_step=0)

    def secret(self) -> Secret | None:
        """The app's secret, unsealed from the vault."""
        return totp_secrets.store().get(TotpDevice.objects.get(user=self.user, date_confirmed__isnull=False).pk)


class FoundApp(App):
    """An app that a test set up through the API."""

    def __init__(self, user: User, secret: str) -> None:
        self.user = user
        self._codes = pyotp.TOTP(secret)
        self.recovery = []
