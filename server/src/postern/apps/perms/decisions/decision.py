"""The access rule as a pure function: facts in, decision with its reasons out. `queries` loads the facts.

A user may use a system user on an asset when all of these are true:

- The user and the asset are active, and the asset offers the system user's protocol.
- A permission, of an organization that the user is a member of, names the user (or a group of theirs), the asset (or a
  node above it) and the system user.
- That permission is active, valid at the instant (`date_start <= at < date_expired`), and includes the action connect.

The same rule holds for an application, with an application permission: the system user speaks its protocol, and its type
needs no licence or a licence exists.

The actions of all such permissions are combined, as far as the protocol has them: a clipboard is part of RDP and VNC,
port forwarding of SSH only.
Each action ends when the last permission that includes it ends: a
permission for uploads of ten minutes beside a year of connect does not give a year of uploads.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from postern.contracts.access import ActionsUntil
from postern.contracts.enums import Actions, DenialCode, Protocol
from postern.foundation.phrases import Phrase
from postern.kernel.sentences import Sentence, Value, joined


class Verdict(StrEnum):
    ALLOW = "allow"
    DENY = "deny"


class ReasonCode(StrEnum):
    """Reason of a decision. Stable: part of the API."""

    GRANTED = "granted"
    USER_UNKNOWN = "user_unknown"
    USER_INACTIVE = "user_inactive"
    USER_EXPIRED = "user_expired"
    ASSET_UNKNOWN = "asset_unknown"
    ASSET_INACTIVE = "asset_inactive"
    SYSTEM_USER_UNKNOWN = "system_user_unknown"
    SYSTEM_USER_PROTOCOL = "system_user_protocol"  # the system user uses another protocol
    PROTOCOL_NOT_OFFERED = "protocol_not_offered"  # the asset does not offer the protocol
    GRANT_INACTIVE = "grant_inactive"
    GRANT_NOT_STARTED = "grant_not_started"
    GRANT_EXPIRED = "grant_expired"
    GRANT_WITHOUT_CONNECT = "grant_without_connect"
    GRANT_OTHER_SYSTEM_USER = "grant_other_system_user"
    # the permission names no system user with the protocol (when none was chosen)
    GRANT_WITHOUT_SYSTEM_USER = "grant_without_system_user"
    GRANT_NOT_A_MEMBER = "grant_not_a_member"  # the user is no longer a member of the permission's organization
    NO_GRANT_FOR_USER = "no_grant_for_user"  # no permission names the user
    NO_GRANT_FOR_ASSET = "no_grant_for_asset"  # no permission names the asset
    NO_GRANT = "no_grant"  # user and asset are named, but never by the same permission
    APPLICATION_UNKNOWN = "application_unknown"
    LICENCE_MISSING = "licence_missing"  # the type of the application needs a licence
    NO_GRANT_FOR_APPLICATION = "no_grant_for_application"  # no permission names the application


@dataclass(frozen=True, slots=True)
class Named:
    """An object by id, with its display name."""

    id: UUID
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Via:
    """How a permission matches the request: through the user or a group, and through the asset or a node, or the
    application.
    """

    user: Named | None = None
    user_group: Named | None = None
    asset: Named | None = None
    node: Named | None = None
    application: Named | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason; `message` is for people, in the language that was active at the decision."""

    code: ReasonCode
    sentence: Sentence
    permission: Named | None = None
    via: Via | None = None

    @property
    def message(self) -> str:
        return self.sentence.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The decision. `actions`, `expires_at` and the granted reasons are set only when access is allowed.

    `ends` holds each action with its own end; `expires_at` is the end of connect, and so of all access. A permission
    that begins before another permission ends extends its actions without a gap. No action outlasts the account.
    `next_change_at` is the nearest instant at which a permission involved begins or ends; decide again at that instant.
    """

    verdict: Verdict
    reasons: tuple[Reason, ...]
    actions: Actions = Actions.NONE
    ends: tuple[ActionsUntil, ...] = ()
    expires_at: datetime | None = None
    next_change_at: datetime | None = None
    denial_code: DenialCode | None = None

    @property
    def allowed(self) -> bool:
        return self.verdict is Verdict.ALLOW

    @property
    def message(self) -> str:
        """All reasons as one text."""
        return self.sentence.text

    @property
    def sentence(self) -> Sentence:
        """All reasons as one sentence, which can be translated later."""
        return joined(" ", [reason.sentence for reason in self.reasons])


@dataclass(frozen=True, slots=True, kw_only=True)
class UserFacts:
    id: UUID
    name: str
    is_active: bool
    date_expired: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFacts:
    id: UUID
    name: str
    is_active: bool
    offers_protocol: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationFacts:
    """`is_licensed`: its type needs no licence, or a licence exists."""

    id: UUID
    name: str
    is_licensed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemUserFacts:
    id: UUID
    name: str
    protocol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantFacts:
    """A permission that names both the user and the asset."""

    permission: Named
    is_active: bool
    date_start: datetime
    date_expired: datetime
    actions: int
    names_system_user: bool
    via: Via
    user_is_member: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that the rule depends on. None: the object does not exist.

    With `of_application` the target is an application, whose protocol is that of the facts, and not an asset.
    With `any_system_user` none was chosen; a grant's `names_system_user` then says whether it names any with the
    protocol. `user_is_named` and `asset_is_named` are needed only without a grant: whether any permission names the
    user, or the asset or application.
    """

    protocol: Protocol
    user: UserFacts | None
    asset: AssetFacts | None
    system_user: SystemUserFacts | None
    grants: tuple[GrantFacts, ...]
    of_application: bool = False
    application: ApplicationFacts | None = None
    any_system_user: bool = False
    user_is_named: bool = True
    asset_is_named: bool = True


#: The code for the proxy, by the most important reason; sorted by importance.
_DENIAL_CODES: Final[dict[ReasonCode, DenialCode]] = {
    ReasonCode.USER_UNKNOWN: DenialCode.USER_INACTIVE,
    ReasonCode.USER_INACTIVE: DenialCode.USER_INACTIVE,
    ReasonCode.USER_EXPIRED: DenialCode.USER_EXPIRED,
    ReasonCode.ASSET_UNKNOWN: DenialCode.UNKNOWN_ASSET,
    ReasonCode.APPLICATION_UNKNOWN: DenialCode.UNKNOWN_APPLICATION,
    ReasonCode.SYSTEM_USER_UNKNOWN: DenialCode.UNKNOWN_SYSTEM_USER,
    # These come before what the asset offers, because a user without a grant must not learn anything about the asset.
    ReasonCode.NO_GRANT_FOR_USER: DenialCode.NO_PERMISSION,
    ReasonCode.NO_GRANT_FOR_ASSET: DenialCode.NO_PERMISSION,
    ReasonCode.NO_GRANT_FOR_APPLICATION: DenialCode.NO_PERMISSION,
    ReasonCode.NO_GRANT: DenialCode.NO_PERMISSION,
    ReasonCode.LICENCE_MISSING: DenialCode.LICENCE_MISSING,
    ReasonCode.ASSET_INACTIVE: DenialCode.ASSET_INACTIVE,
    ReasonCode.SYSTEM_USER_PROTOCOL: DenialCode.PROTOCOL_NOT_OFFERED,
    ReasonCode.PROTOCOL_NOT_OFFERED: DenialCode.PROTOCOL_NOT_OFFERED,
    ReasonCode.GRANT_WITHOUT_CONNECT: DenialCode.ACTION_NOT_PERMITTED,
    ReasonCode.GRANT_EXPIRED: DenialCode.PERMISSION_EXPIRED,
    ReasonCode.GRANT_NOT_STARTED: DenialCode.PERMISSION_INACTIVE,
    ReasonCode.GRANT_INACTIVE: DenialCode.PERMISSION_INACTIVE,
    ReasonCode.GRANT_NOT_A_MEMBER: DenialCode.NO_PERMISSION,
    ReasonCode.GRANT_OTHER_SYSTEM_USER: DenialCode.NO_PERMISSION,
    ReasonCode.GRANT_WITHOUT_SYSTEM_USER: DenialCode.NO_PERMISSION,
}


def evaluate(facts: Facts, at: datetime) -> Decision:
    """Decide for the instant `at`."""
    obstacles = [*_person(facts, at), *_target(facts)]
    judged = [(grant, _judge(grant, facts, at)) for grant in facts.grants]
    holding = [grant for grant, reason in judged if reason.code is ReasonCode.GRANTED]
    borders = sorted(
        {border for grant in facts.grants for border in (grant.date_start, grant.date_expired) if border > at}
    )
    next_change_at = borders[0] if borders else None
    if obstacles or not holding:
        reasons = [
            *obstacles,
            *(reason for _grant, reason in judged if obstacles == [] or reason.code is not ReasonCode.GRANTED),
        ]
        if not facts.grants:
            reasons.append(_nothing(facts))
        reasons.sort(key=lambda reason: _WEIGHT[reason.code])
        return Decision(
            verdict=Verdict.DENY,
            reasons=tuple(reasons),
            next_change_at=next_change_at,
            denial_code=_DENIAL_CODES[reasons[0].code],
        )
    carrying = [grant for grant, reason in judged if reason.code in _CARRYING]
    ends = _ends(carrying, facts.protocol, at, facts.user.date_expired if facts.user is not None else None)
    return Decision(
        verdict=Verdict.ALLOW,
        reasons=tuple(reason for _grant, reason in judged if reason.code is ReasonCode.GRANTED),
        actions=Actions(sum(group.actions for group in ends)),
        ends=ends,
        expires_at=next(group.until for group in ends if group.actions & Actions.CONNECT),
        next_change_at=next_change_at,
    )


#: Protocols with a clipboard. A remote app is a window of RDP.
_WITH_CLIPBOARD: Final = frozenset({Protocol.RDP, Protocol.VNC})


def possible_actions(protocol: Protocol, actions: Actions) -> Actions:
    """Those of the granted actions that there are with this protocol."""
    if protocol is not Protocol.SSH:
        actions &= ~Actions.FORWARD
    return actions if protocol in _WITH_CLIPBOARD else actions & ~Actions.CLIPBOARD_COPY_PASTE


#: Grants that are valid now, or will become valid without a change.
_CARRYING: Final = frozenset({ReasonCode.GRANTED, ReasonCode.GRANT_NOT_STARTED})
_BITS: Final = tuple(1 << position for position in range(Actions.EVERY.bit_length()))


def _ends(
    grants: list[GrantFacts], protocol: Protocol, at: datetime, account_ends: datetime | None
) -> tuple[ActionsUntil, ...]:
    """Every action that is permitted at `at`, with the instant at which it ends.

    Actions with the same end are grouped.
    """
    # Nothing works without connect, so a grant without connect extends no action.
    grants = sorted((grant for grant in grants if grant.actions & Actions.CONNECT), key=lambda grant: grant.date_start)
    groups: dict[datetime, int] = {}
    possible = possible_actions(protocol, Actions.EVERY).value
    for bit in _BITS:
        if not possible & bit:
            continue
        until = at
        for grant in grants:
            if grant.actions & bit and grant.date_start <= until:
                until = max(until, grant.date_expired)
        if account_ends is not None:
            until = min(until, account_ends)
        if until > at:
            groups[until] = groups.get(until, 0) | bit
    return tuple(ActionsUntil(actions=Actions(bits), until=until) for until, bits in sorted(groups.items()))


_WEIGHT: Final = {code: position for position, code in enumerate(_DENIAL_CODES)}


_WORDS: Final = {
    code: Phrase(f"access.{code.value}", words)
    for code, words in (
        (ReasonCode.USER_UNKNOWN, _("This user does not exist.")),
        (ReasonCode.USER_INACTIVE, _("The user %(name)s is disabled.")),
        (ReasonCode.USER_EXPIRED, _("The account of %(name)s has expired.")),
        (ReasonCode.ASSET_UNKNOWN, _("The asset was not found. It may have been deleted.")),
        (ReasonCode.ASSET_INACTIVE, _("The asset %(name)s is disabled.")),
        (ReasonCode.PROTOCOL_NOT_OFFERED, _("The asset %(name)s does not offer %(protocol)s.")),
        (ReasonCode.SYSTEM_USER_UNKNOWN, _("This system user does not exist.")),
        (ReasonCode.SYSTEM_USER_PROTOCOL, _("The system user %(name)s is for %(its)s, not for %(protocol)s.")),
        (ReasonCode.GRANT_WITHOUT_SYSTEM_USER, _("The permission %(name)s includes no system user for %(protocol)s.")),
        (
            ReasonCode.GRANT_OTHER_SYSTEM_USER,
            _("The permission %(name)s does not include the system user %(system_user)s."),
        ),
        (ReasonCode.GRANT_NOT_A_MEMBER, _("The permission %(name)s is for members of its organization only.")),
        (ReasonCode.GRANT_INACTIVE, _("The permission %(name)s is switched off.")),
        (ReasonCode.GRANT_NOT_STARTED, _("The permission %(name)s begins at %(instant)s.")),
        (ReasonCode.GRANT_EXPIRED, _("The permission %(name)s ended at %(instant)s.")),
        (ReasonCode.GRANT_WITHOUT_CONNECT, _("The permission %(name)s does not include the action connect.")),
        (ReasonCode.GRANTED, _("Granted by the permission %(name)s.")),
        (ReasonCode.NO_GRANT_FOR_USER, _("No permission includes the user %(user)s or any of their groups.")),
        (ReasonCode.NO_GRANT_FOR_ASSET, _("No permission includes the asset %(asset)s or a node above it.")),
        (ReasonCode.NO_GRANT, _("No permission gives %(user)s access to %(asset)s.")),
        (ReasonCode.APPLICATION_UNKNOWN, _("The application was not found. It may have been deleted.")),
        (ReasonCode.LICENCE_MISSING, _("The application %(name)s needs a valid licence.")),
        (ReasonCode.NO_GRANT_FOR_APPLICATION, _("No permission includes the application %(asset)s.")),
    )
}


def _person(facts: Facts, at: datetime) -> Iterable[Reason]:
    if facts.user is None:
        yield _reason(ReasonCode.USER_UNKNOWN)
    elif not facts.user.is_active:
        yield _reason(ReasonCode.USER_INACTIVE, name=facts.user.name)
    elif facts.user.date_expired is not None and facts.user.date_expired <= at:
        yield _reason(ReasonCode.USER_EXPIRED, name=facts.user.name)


def _target(facts: Facts) -> Iterable[Reason]:
    protocol = facts.protocol.value
    if facts.of_application:
        if facts.application is None:
            yield _reason(ReasonCode.APPLICATION_UNKNOWN)
            return  # its protocol is not known either
        if not facts.application.is_licensed:
            yield _reason(ReasonCode.LICENCE_MISSING, name=facts.application.name)
    elif facts.asset is None:
        yield _reason(ReasonCode.ASSET_UNKNOWN)
    elif not facts.asset.is_active:
        yield _reason(ReasonCode.ASSET_INACTIVE, name=facts.asset.name)
    elif not facts.asset.offers_protocol:
        yield _reason(ReasonCode.PROTOCOL_NOT_OFFERED, name=facts.asset.name, protocol=protocol)
    if facts.any_system_user:
        return
    if facts.system_user is None:
        yield _reason(ReasonCode.SYSTEM_USER_UNKNOWN)
    elif facts.system_user.protocol != protocol:
        its = facts.system_user.protocol
        yield _reason(ReasonCode.SYSTEM_USER_PROTOCOL, name=facts.system_user.name, its=its, protocol=protocol)


def _judge(grant: GrantFacts, facts: Facts, at: datetime) -> Reason:
    values: dict[str, Value] = {}
    if not grant.names_system_user and facts.any_system_user:
        code, values = ReasonCode.GRANT_WITHOUT_SYSTEM_USER, {"protocol": facts.protocol.value}
    elif not grant.names_system_user:
        wanted = facts.system_user.name if facts.system_user else ""
        code, values = ReasonCode.GRANT_OTHER_SYSTEM_USER, {"system_user": wanted}
    elif not grant.user_is_member:
        code = ReasonCode.GRANT_NOT_A_MEMBER
    elif not grant.is_active:
        code = ReasonCode.GRANT_INACTIVE
    elif at < grant.date_start:
        code, values = ReasonCode.GRANT_NOT_STARTED, {"instant": _shown(grant.date_start)}
    elif at >= grant.date_expired:
        code, values = ReasonCode.GRANT_EXPIRED, {"instant": _shown(grant.date_expired)}
    elif not grant.actions & Actions.CONNECT:
        code = ReasonCode.GRANT_WITHOUT_CONNECT
    else:
        code = ReasonCode.GRANTED
    sentence = _WORDS[code].say(name=grant.permission.name, **values)
    return Reason(code, sentence, permission=grant.permission, via=grant.via)


def _nothing(facts: Facts) -> Reason:
    person = facts.user.name if facts.user else ""
    target = facts.application if facts.of_application else facts.asset
    asset = target.name if target else ""
    if not facts.user_is_named:
        return _reason(ReasonCode.NO_GRANT_FOR_USER, user=person)
    if not facts.asset_is_named:
        missing = ReasonCode.NO_GRANT_FOR_APPLICATION if facts.of_application else ReasonCode.NO_GRANT_FOR_ASSET
        return _reason(missing, asset=asset)
    return _reason(ReasonCode.NO_GRANT, user=person, asset=asset)


def _reason(code: ReasonCode, **values: Value) -> Reason:
    return Reason(code, _WORDS[code].say(**values))


def _shown(instant: datetime) -> str:
    return timezone.localtime(instant).strftime("%Y/%m/%d %H:%M:%S %z")


def without_details(decision: Decision) -> Decision:
    """The decision for a user without administration rights: only the main reason, no names of permissions or
    groups.
    """
    if decision.allowed or not decision.reasons:
        return decision
    main = decision.reasons[0]
    return replace(decision, reasons=(Reason(main.code, main.sentence),))
