"""Time-based one-time codes (RFC 6238): SHA-1, 6 digits, steps of 30 seconds, as all authenticator apps support.

Pure functions. A code is valid in its step and in the steps before and after, to tolerate small differences of clocks.
"""

import base64
import re
import secrets
from datetime import datetime
from typing import Final

import pyotp
import segno

from postern.kernel.ids import same
from postern.kernel.secret import Secret

CODE_CHARS: Final = 6
STEP_S: Final = 30
_WINDOW: Final = (-1, 0, 1)
_SECRET_BYTES: Final = 20  # length of the HMAC output, as RFC 4226 recommends
_CODE: Final = re.compile(r"[0-9]{6}\Z", re.ASCII)


def new_secret() -> Secret:
    """A new secret in base32, 32 characters."""
    return Secret(base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii"))


def is_code(text: str) -> bool:
    """Whether the text has the form of a code: exactly six digits."""
    return _CODE.match(text) is not None


def step_at(instant: datetime) -> int:
    """The number of the time step that contains `instant`."""
    return int(instant.timestamp()) // STEP_S


def matching_step(secret: Secret, code: str, *, now: datetime) -> int | None:
    """The step of this code; None when it matches none of the three valid steps. All three are always compared."""
    if not is_code(code):
        return None
    codes = pyotp.TOTP(secret.reveal(), digits=CODE_CHARS, interval=STEP_S)
    matched_step = None
    for offset in _WINDOW:
        step = step_at(now) + offset
        if same(codes.generate_otp(step), code):
            matched_step = step
    return matched_step


def provisioning_uri(secret: Secret, *, username: str, issuer: str) -> str:
    """The content of the QR code for an authenticator app: `otpauth://totp/…`."""
    return pyotp.TOTP(secret.reveal(), digits=CODE_CHARS, interval=STEP_S).provisioning_uri(
        name=username, issuer_name=issuer
    )


def qr_rows(text: str) -> list[str]:
    """The QR code of `text`: for each row a string of `1` (dark) and `0`, without a border."""
    return ["".join("1" if dark else "0" for dark in row) for row in segno.make(text, micro=False, error="m").matrix]
