"""Reads of messages and of subscriptions."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from postern.apps.notifications.backends import BACKENDS, EMAIL_BACKEND, SITE_MESSAGE_BACKEND
from postern.apps.notifications.models import SiteMessageReceipt, SystemMessageSubscription
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import SystemRole, User


@dataclass(frozen=True, slots=True)
class Subscription:
    """Receivers of one kind of system message.

    `is_default`: nothing was chosen, so it goes to the super administrators by every enabled method. What was chosen may
    name a method that is not enabled any more.
    """

    user_ids: tuple[UUID, ...]
    group_ids: tuple[UUID, ...]
    receive_backends: tuple[str, ...]
    is_default: bool


def unread_total(user_id: UUID) -> int:
    """Number of unread messages of the user."""
    return SiteMessageReceipt.objects.of_person(user_id).filter(has_read=False).count()


def enabled_backends() -> tuple[str, ...]:
    """The delivery methods that work now: mail while an account is configured, services while they are switched on."""
    return tuple(name for name in BACKENDS if _is_enabled(name))


def _is_enabled(backend: str) -> bool:
    if backend == SITE_MESSAGE_BACKEND:
        return True
    return preferences.is_mail_configured() if backend == EMAIL_BACKEND else is_service_on(backend)


def is_service_on(channel: str) -> bool:
    """Whether an administrator has switched WeCom, DingTalk or FeiShu on."""
    return preferences.get_bool(f"AUTH_{channel.upper()}")


def subscriptions(names: Collection[str]) -> dict[str, Subscription]:
    """Subscriptions of these kinds of messages. Four queries, and that of the settings."""
    stored = SystemMessageSubscription.objects.filter(message_type__in=names).prefetch_related("users", "groups")
    subscriptions_by_type = {
        row.message_type: Subscription(
            user_ids=tuple(user.pk for user in row.users.all()),
            group_ids=tuple(group.pk for group in row.groups.all()),
            receive_backends=tuple(row.receive_backends),
            is_default=False,
        )
        for row in stored
    }
    administrators = tuple(super_administrators().values_list("pk", flat=True))
    nobody_chose = Subscription(administrators, (), enabled_backends(), is_default=True)
    return {name: subscriptions_by_type.get(name, nobody_chose) for name in names}


def super_administrators() -> QuerySet[User]:
    """All active administrators of the installation."""
    return User.objects.valid().people().filter(role=SystemRole.ADMIN).order_by("username")


def people(user_ids: Collection[UUID], group_ids: Collection[UUID]) -> QuerySet[User]:
    """The active users among these ids and group members, without duplicates."""
    wanted = Q(pk__in=list(user_ids))
    if group_ids:
        in_groups = User.objects.filter(group_rows__usergroup_id__in=list(group_ids)).order_by()
        wanted |= Q(pk__in=in_groups.values("pk"))
    return User.objects.valid().people().filter(wanted).order_by("username")
