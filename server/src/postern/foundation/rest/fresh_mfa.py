"""`NeedMFAVerify` of the contract: views that are open only for a while after the second factor was shown.

A view names its actions (or HTTP methods) in `needs_fresh_mfa`; `True` means all of them. The refusal is 400 with the code
`mfa_verify_required`, upon which the console asks for a code and repeats the call. What "shown" means is authn's business,
which provides the check.
"""

from collections.abc import Callable
from typing import Any, Final

from rest_framework.request import Request

from postern.foundation.provided import Provided

#: Raises when no code was entered of late.
CHECK: Final = Provided[Callable[[Request], None]]("the check of the second factor")


def require(request: Request) -> None:
    """Raise unless the second factor was shown of late."""
    CHECK.value(request)


def is_declared(view: Any, method: str, action: str | None) -> bool:
    """Whether `view` asks for it in this action or method."""
    needs: bool | frozenset[str] = getattr(view, "needs_fresh_mfa", False)
    if isinstance(needs, bool):
        return needs
    return (action or "") in needs or method in needs
