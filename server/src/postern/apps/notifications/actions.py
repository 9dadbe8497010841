"""Writes of messages: send, mark as read, subscribe."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.notifications import push, queries, receivers
from postern.apps.notifications.backends import BACKENDS, SITE_MESSAGE_BACKEND
from postern.apps.notifications.declarations.catalogue import FROM_PEOPLE, MESSAGE_TYPES
from postern.apps.notifications.declarations.declaration import MessageType, Notice, Written
from postern.apps.notifications.errors import MessageRefused, UnknownMessageType
from postern.apps.notifications.events import SystemMessagePosted
from postern.apps.notifications.models import (
    ExpiryWarning,
    SiteMessage,
    SiteMessageReceipt,
    SystemMessageSubscription,
)
from postern.apps.notifications.sanitising import clean_html, has_text
from postern.apps.users.models import User, UserGroup
from postern.foundation.bus import events
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID, new_id

MAX_SUBJECT_CHARS: Final = 256
MAX_MESSAGE_CHARS: Final = 20_000
#: Number of system messages of one kind within `QUIET`. One more message then says that there are more, and the rest
#: are dropped.
MAX_NOTICES: Final = 20
QUIET: Final = timedelta(hours=1)
#: Messages are news, not records, so they are deleted; the audit log keeps the events.
KEPT: Final = timedelta(days=180)
_MORE: Final = "more"
_NAMES_KEPT: Final = 20


def send(
    *,
    actor: Actor,
    subject: str,
    message: str,
    users: Collection[User] = (),
    groups: Collection[UserGroup] = (),
    is_broadcast: bool = False,
) -> SiteMessage:
    """Send a user's message to users, to the members of groups, or to everybody.

    More than a few get it from the worker, soon after. Raises MessageRefused.
    """
    html = clean_html(message)
    if not has_text(html):
        raise MessageRefused("message", _("The message is empty. Enter a text."))
    if is_broadcast:
        user_ids = list(User.objects.valid().people().values_list("pk", flat=True))
    else:
        people = queries.people([user.pk for user in users], [group.pk for group in groups])
        user_ids = list(people.values_list("pk", flat=True))
    if not user_ids:
        raise MessageRefused("user_ids", _("Choose at least one active user, or a group with active users."))
    addressed = [] if is_broadcast else [*(str(user) for user in users), *(group.name for group in groups)]
    return _store(
        actor,
        SiteMessage(
            subject=subject[:MAX_SUBJECT_CHARS],
            message=html,
            message_type=FROM_PEOPLE,
            addressed_to=addressed[:_NAMES_KEPT],
            is_broadcast=is_broadcast,
        ),
        user_ids,
        [SITE_MESSAGE_BACKEND],
    )


@transaction.atomic
def post_notice(*, notice: Notice, occasion: str) -> int:
    """Send a system message to its subscribers, each in their language; returns the number of receivers.

    The same occasion is reported once within `QUIET`, so that repeated deliveries and repeated attacks do not send it
    again.
    """
    message_type = notice.message_type
    recent = SiteMessage.objects.filter(message_type=message_type.name, date_created__gt=clock.now() - QUIET)
    recent_occasions = set(recent.values_list("occasion", flat=True))
    if occasion in recent_occasions or len(recent_occasions) > MAX_NOTICES:
        return 0
    if len(recent_occasions) == MAX_NOTICES:
        occasion, notice = _MORE, Notice(message_type, lambda: _more_of(message_type))
    subscription = queries.subscriptions([message_type.name])[message_type.name]
    backends = set(subscription.receive_backends) & set(queries.enabled_backends())
    _publish(notice)
    subscribers = queries.people(subscription.user_ids, subscription.group_ids)

    def addressed_to() -> list[str]:
        return [_("Subscribers of: %(kind)s") % {"kind": message_type.label}]

    if not backends or not subscribers.exists():
        # Nobody reads it. The row remembers the occasion, which other apps got.
        with translation.override(settings.LANGUAGE_CODE):
            _store(SYSTEM, system_message(notice, occasion, addressed_to), [], ())
        return 0
    return _post(notice, occasion, subscribers, addressed_to, backends=backends)


def _publish(notice: Notice) -> None:
    """Tell other apps about a message, once for all receivers."""
    with translation.override(settings.LANGUAGE_CODE):
        events.publish(posted_message(notice))


def posted_message(notice: Notice) -> SystemMessagePosted:
    """The event of a message, in the active language."""
    text = notice.write()
    return SystemMessagePosted(
        id=new_id(),
        message_type=notice.message_type.name,
        subject=text.subject,
        html=clean_html(text.html),
        at=clock.now(),
    )


@transaction.atomic
def tell(*, notice: Notice, occasion: str, user_ids: Collection[UUID]) -> int:
    """Send a system message to these users, each in their language, by every enabled method.

    Returns the number of receivers. The same occasion is reported once within `QUIET`.
    """
    if SiteMessage.objects.filter(message_type=notice.message_type.name, occasion=occasion).exists():
        return 0
    receivers = User.objects.valid().people().filter(pk__in=list(user_ids))
    return _post(notice, occasion, receivers, list, backends=set(queries.enabled_backends()))


def _post(
    notice: Notice,
    occasion: str,
    receivers: QuerySet[User],
    addressed_to: Callable[[], list[str]],
    *,
    backends: Collection[str],
) -> int:
    by_language: dict[str, list[UUID]] = {}
    for user_id, language in receivers.values_list("pk", "language"):
        by_language.setdefault(language or settings.LANGUAGE_CODE, []).append(user_id)
    for language, user_ids in by_language.items():
        with translation.override(language):
            row = system_message(notice, occasion, addressed_to)
        _store(SYSTEM, row, user_ids, backends)
    return sum(len(user_ids) for user_ids in by_language.values())


@transaction.atomic
def tell_person(*, user_id: UUID, notice: Notice, occasion: str) -> bool:
    """Send a system message to one user about their own account, in their language, by every enabled method.

    The same occasion is reported once within `QUIET`. Returns whether the message was sent.
    """
    user = User.objects.filter(pk=user_id).first()
    recent = SiteMessage.objects.filter(message_type=notice.message_type.name, occasion=occasion)
    if user is None or user.is_service_account or recent.filter(date_created__gt=clock.now() - QUIET).exists():
        return False
    with translation.override(user.language or settings.LANGUAGE_CODE):
        row = system_message(notice, occasion, lambda: [str(user)])
    _store(SYSTEM, row, [user.pk], queries.enabled_backends())
    return True


def system_message(notice: Notice, occasion: str, addressed_to: Callable[[], list[str]] = list) -> SiteMessage:
    """The message in the active language, not stored yet."""
    text = notice.write()
    return SiteMessage(
        subject=text.subject[:MAX_SUBJECT_CHARS],
        message=clean_html(text.html),
        message_type=notice.message_type.name,
        addressed_to=addressed_to(),
        occasion=occasion,
    )


def _more_of(message_type: MessageType) -> Written:
    subject = _("More of these: %(kind)s") % {"kind": message_type.label}
    return Written(
        subject, _("No more messages of this kind will be sent for an hour. The audit log contains all events.")
    )


@transaction.atomic
def _store(actor: Actor, row: SiteMessage, user_ids: Sequence[UUID], backends: Collection[str]) -> SiteMessage:
    """Store a message once, and its delivery to each user by each of these methods."""
    row.sender_id = actor.user_id
    row.sender_display = actor.label[:260]
    row.save(force_insert=True)
    receivers.give(row, user_ids, backends)
    _record(
        actor,
        audits.Event.SITE_MESSAGE_SENT,
        row,
        {
            "message_type": row.message_type,
            "receivers": len(user_ids) if SITE_MESSAGE_BACKEND in backends else 0,
            "addressed_to": row.addressed_to,
            "is_broadcast": row.is_broadcast,
        },
    )
    return row


@transaction.atomic
def mark_as_read(*, actor: Actor, receipt_ids: Collection[UUID]) -> int:
    """Mark the user's messages as read; ids of other users' messages are ignored.

    Returns the number of changed rows.
    """
    if actor.user_id is None:
        return 0
    unread = SiteMessageReceipt.objects.of_person(actor.user_id).filter(pk__in=list(receipt_ids), has_read=False)
    rows = dict(unread.values_list("pk", "message__subject"))
    if not rows:
        return 0
    ids = list(rows)
    now = clock.now()
    changed = unread.filter(pk__in=ids).update(has_read=True, read_at=now, date_updated=now)
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SITE_MESSAGE_READ,
        object_type="SiteMessage",
        object_name=", ".join(list(rows.values())[:_NAMES_KEPT]),
        new={"ids": ids[:_NAMES_KEPT], "count": changed},
    )
    push.unread_changed([actor.user_id])
    return changed


@transaction.atomic
def change_subscription(
    *,
    actor: Actor,
    message_type: str,
    users: Collection[User] | None = None,
    groups: Collection[UserGroup] | None = None,
    receive_backends: Collection[str] | None = None,
) -> None:
    """Set the receivers of a kind of system message and the delivery methods; None keeps a value.

    Raises UnknownMessageType.
    """
    if message_type not in MESSAGE_TYPES:
        raise UnknownMessageType(_("This kind of message does not exist."))
    before = queries.subscriptions([message_type])[message_type]
    wanted = {
        "users": {user.pk for user in users} if users is not None else set(before.user_ids),
        "groups": {group.pk for group in groups} if groups is not None else set(before.group_ids),
        "receive_backends": set(receive_backends if receive_backends is not None else before.receive_backends),
    }
    if not before.is_default and wanted == {
        name: set(value) for name, value in _shown(before).items()
    }:  # no change, so nothing to audit
        return
    row, created = SystemMessageSubscription.objects.get_or_create(
        message_type=message_type, defaults={"receive_backends": list(before.receive_backends)}
    )
    if users is not None or created:
        row.users.set([user.pk for user in users] if users is not None else before.user_ids)
    if groups is not None:
        row.groups.set(groups)
    if receive_backends is not None:
        row.receive_backends = [name for name in BACKENDS if name in receive_backends]
    row.save()
    old, new = _shown(before), _shown(queries.subscriptions([message_type])[message_type])
    # the default values were confirmed explicitly
    changed = [name for name in new if new[name] != old[name]] or list(new)
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SUBSCRIPTION_UPDATED,
        action="update",
        object_type="SystemMessageSubscription",
        object_name=message_type,
        old={name: old[name] for name in changed},
        new={name: new[name] for name in changed},
    )


def _shown(subscription: queries.Subscription) -> dict[str, Collection[object]]:
    return {
        "users": subscription.user_ids,
        "groups": subscription.group_ids,
        "receive_backends": subscription.receive_backends,
    }


@transaction.atomic
def forget_old(*, actor: Actor, now: datetime) -> int:
    """Delete messages and warnings older than the retention period; returns the number of messages."""
    ExpiryWarning.objects.filter(date_created__lt=now - KEPT).delete()
    old = SiteMessage.objects.filter(date_created__lt=now - KEPT)
    count = old.count()
    if count:
        old.delete()
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.SITE_MESSAGE_OLD_DELETED,
            object_type="SiteMessage",
            new={"count": count},
        )
    return count


def _record(actor: Actor, event: audits.Event, row: SiteMessage, new: dict[str, object]) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action="create",
        object_type="SiteMessage",
        object_id=str(row.pk),
        object_name=row.subject,
        new=new,
    )
