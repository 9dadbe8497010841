"""Views that require a recent check of the second factor (`NeedMFAVerify` of the API contract).

A view lists its actions (or HTTP methods) in `needs_fresh_mfa`; `True` means all of them. The refusal is 400 with the
code `mfa_verify_required`; the console then asks for a code and repeats the call. The authn app provides the check and
decides what counts as recent.
"""

from collections.abc import Callable
from typing import Any, Final

from rest_framework.request import Request

from postern.foundation.provided import Provided

#: Raises when the second factor was not checked recently.
CHECK: Final = Provided[Callable[[Request], None]]("the check of the second factor")


def require(request: Request) -> None:
    """Raise unless the second factor was checked recently."""
    CHECK.value(request)


def is_declared(view: Any, method: str, action: str | None) -> bool:
    """Whether `view` requires a recent second factor for this action or method. HEAD does whatever GET does."""
    needs: bool | frozenset[str] = getattr(view, "needs_fresh_mfa", False)
    if isinstance(needs, bool):
        return needs
    return (action or "") in needs or ("GET" if method == "HEAD" else method) in needs
