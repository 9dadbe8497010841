"""Writes of recovery codes. The callers audit them."""

from postern.apps.authn.second_factors import recovery
from postern.apps.authn.second_factors.models import RecoveryCode
from postern.apps.users.models import User
from postern.kernel.secret import Secret


def new_codes_for(user: User) -> list[Secret]:
    """Replace the user's recovery codes."""
    RecoveryCode.objects.filter(user=user).delete()
    codes = recovery.new_codes()
    RecoveryCode.objects.bulk_create(
        RecoveryCode(user=user, code_hash=recovery.code_hash(user.pk, code)) for code in codes
    )
    return [Secret(code) for code in codes]


def forget_codes(user: User) -> int:
    """Delete the user's recovery codes; returns their number."""
    return RecoveryCode.objects.filter(user=user).delete()[0]
