"""Reads of sessions: rows, grants, and the rights of users in a session's organization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL

from postern.apps.perms import facade as perms
from postern.apps.preferences import facade as preferences
from postern.apps.rbac import facade as rbac
from postern.apps.sessions.entered_credentials import actions as entered_credentials
from postern.apps.sessions.sessions import command_filters, grants, opening_keys
from postern.apps.sessions.sessions.models import ConnectionToken, Session, SessionHold, WatchToken
from postern.apps.sessions.sessions.ways import Way
from postern.apps.users import facade as users
from postern.contracts.access import RecordingPolicy, SessionGrant, Target, UserIdentity
from postern.contracts.enums import Actions, LoginFrom, Protocol, RiskLevel, SessionState
from postern.foundation.caller.actor import Actor, ActorKind
from postern.foundation.caller.scope import OrgScope
from postern.kernel import clock, ids

_SECONDS: Final = 60
#: Last sessions of a person in which their recent assets are looked for.
_LAST_SESSIONS: Final = 100
_RECENT_ASSETS: Final = 10


def login_name_of(target: perms.ResolvedTarget, username: str) -> str:
    """The account on the target; "" when the user has to enter it."""
    return username if target.system_user.username_same_with_user else target.system_user.username


def recent_assets(user_id: UUID) -> list[UUID]:
    """The assets of the user's last sessions, the latest first."""
    rows = Session.objects.filter(user_id=user_id).order_by("-date_start").values_list("asset_id", flat=True)
    return list(dict.fromkeys(rows[:_LAST_SESSIONS]))[:_RECENT_ASSETS]


def entered_login_name(user_id: UUID, target: perms.ResolvedTarget) -> str | None:
    """The login name that the user entered beforehand for this target; None when nothing is stored."""
    if not target.system_user.manual:
        return None
    return entered_credentials.waiting_login_name(
        user_id=user_id, asset_id=target.asset.id, system_user_id=target.system_user.id
    )


def grant_of(session: Session, target: perms.ResolvedTarget, identity: UserIdentity, way: Way) -> SessionGrant:
    """Everything that the proxy needs except the credentials; `way` has the addresses to connect to.

    A command filter that changes while the session is being stored is not in its grant. The next sweep sends it.
    """
    entered = entered_login_name(session.user_id, target)
    return SessionGrant(
        session_id=session.pk,
        user=identity,
        org_id=session.org_id,
        asset_id=session.asset_id,
        asset_name=session.asset,
        system_user_id=session.system_user_id,
        system_user_name=session.system_user,
        login_name=session.login_name or entered or "",
        manual=target.system_user.manual,
        entered=entered is not None,
        protocol=Protocol(session.protocol),
        login_from=LoginFrom(session.login_from),
        remote_addr=session.remote_addr,
        target=Target(host=way.host, port=target.port),
        actions=Actions(session.actions),
        recording=RecordingPolicy(),
        expires_at=session.date_expired,
        ends=grants.ends_of(session.action_ends),
        version=session.grant_version,
        idle_timeout_s=preferences.get_int("SECURITY_MAX_IDLE_TIME") * _SECONDS,
        charset=target.asset.charset,
        sftp_root=target.system_user.sftp_root,
        route=way.route,
        command_control=command_filters.control_of(session),
        opening_key=opening_keys.key_of(session.pk),
    )


def standing_of(user_id: UUID, org_id: UUID) -> Actor | None:
    """The user with their current bits in an organization; None when the user does not exist."""
    user = get_user_model().objects.filter(pk=user_id).first()
    if user is None:
        return None
    rights = rbac.rights_of(user, OrgScope(org_id))
    return Actor(
        kind=ActorKind.SERVICE if user.is_service_account else ActorKind.USER,
        user_id=user_id,
        username=user.username,
        name=user.name,
        bits=rights.bits,
        org_ids=rights.org_ids,
    )


def token_exists(token: str, *, user_id: UUID, terminal_id: UUID) -> bool:
    """Whether this is a connection or watch token of the user for the proxy, used or not."""
    hashed = ids.token_hash(token)
    return any(
        kind.objects.filter(token_hash=hashed, user_id=user_id, terminal_id=terminal_id).exists()
        for kind in (ConnectionToken, WatchToken)
    )


def session_rows(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Sessions with their recording and terminal, for lists."""
    return rows.select_related("terminal").prefetch_related("recording")


def holds_in_effect() -> QuerySet[SessionHold]:
    """The holds whose end has not come."""
    holds: QuerySet[SessionHold] = SessionHold.objects.filter(Q(date_end=None) | Q(date_end__gt=clock.now()))
    return holds


def is_on_hold() -> Q:
    """A condition for sessions: the session itself is on hold, or its user in its organization."""
    holds = holds_in_effect().order_by()
    of_person = holds.filter(user_id=OuterRef("user_id"), org_id=OuterRef("org_id"))
    return Q(Exists(holds.filter(session_id=OuterRef("pk")))) | Q(Exists(of_person))


def deletable_sessions() -> QuerySet[Session]:
    """Finished sessions that are not on hold. A hold that has ended protects its session until its row is removed."""
    rows: QuerySet[Session] = Session.objects.filter(state=SessionState.ENDED.value)
    return rows.filter(~is_on_hold(), ~Exists(SessionHold.objects.order_by().filter(session_id=OuterRef("pk"))))


def held_among(sessions: Sequence[Session]) -> set[UUID]:
    """The ids of those sessions that are on hold."""
    rows = Session.objects.filter(pk__in=[session.pk for session in sessions]).filter(is_on_hold())
    return set(rows.order_by().values_list("pk", flat=True))


def person_label(user_id: UUID, org_id: UUID) -> str | None:
    """`Name(username)` of a member of the organization, or of somebody who had sessions in it; None for others."""
    if users.member_ids_among(org_id, [user_id]) and (user := users.brief([user_id]).get(user_id)) is not None:
        return user.label
    rows = Session.objects.filter(user_id=user_id, org_id=org_id).order_by("-date_start")
    return rows.values_list("user", flat=True).first()


#: In the text of the query, because SQLite uses the index `sessions_live` only for a condition without parameters. It
#: would read all sessions that ever were instead.
_ENDED: Final = RawSQL(f"'{SessionState.ENDED.value}'", ())  # noqa: S611 - a constant


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """Sessions that are opening or active, and the different users of them."""

    sessions: int
    users: int


def live_figures(org_id: UUID | None) -> LiveFigures:
    """What is live in the organization (None: in all)."""
    rows = live_sessions() if org_id is None else live_sessions().filter(org_id=org_id)
    counts = rows.order_by().aggregate(sessions=Count("*"), users=Count("user_id", distinct=True))
    return LiveFigures(**counts)


@dataclass(frozen=True, slots=True)
class RiskySession:
    """A live session in which somebody ran, or tried to run, what a command filter names as dangerous."""

    id: UUID
    user: str
    asset: str


def risky_sessions(org_id: UUID | None, most: int) -> list[RiskySession]:
    """The live sessions with a risk. In no order: with one, the database would walk through all sessions by their date."""
    rows = live_sessions() if org_id is None else live_sessions().filter(org_id=org_id)
    risky = rows.filter(risk_level__gt=RiskLevel.ORDINARY.value).order_by()
    return [RiskySession(*values) for values in risky.values_list("id", "user", "asset")[:most]]


def newest_sessions(org_id: UUID | None, most: int) -> list[Session]:
    """The sessions that began last."""
    rows = Session.objects.all() if org_id is None else Session.objects.filter(org_id=org_id)
    return list(rows.order_by("-date_start")[:most])


def live_sessions() -> QuerySet[Any]:
    """Sessions that are opening or active."""
    return Session.objects.exclude(state=_ENDED)
