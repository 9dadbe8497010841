"""`NeedMFAVerify` of the contract: views that are open only for a while after the second factor was shown.

A view names its actions (or HTTP methods) in `needs_fresh_mfa`; `True` means all of them. The refusal is 400 with the code
`mfa_verify_required`, upon which the console asks for a code and repeats the call. What "shown" means is authn's business,
which registers its check here.
"""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request

Check = Callable[[Request], None]


class _Hook:
    check: Check | None = None


def register(check: Check) -> None:
    """Called once, by authn: `check(request)` raises when no code was entered of late."""
    _Hook.check = staticmethod(check)


def require(request: Request) -> None:
    """Raise unless the second factor was shown of late. Without a registered check nothing passes."""
    if _Hook.check is None:
        raise LookupError("no check of the second factor is registered")
    _Hook.check(request)


def is_declared(view: Any, method: str, action: str | None) -> bool:
    """Whether `view` asks for it in this action or method."""
    needs: bool | frozenset[str] = getattr(view, "needs_fresh_mfa", False)
    if isinstance(needs, bool):
        return needs
    return (action or "") in needs or method in needs
