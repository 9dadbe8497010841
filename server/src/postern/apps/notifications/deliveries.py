"""Deliveries over channels that may fail: enqueue, claim, settle, try again.

A message that the mail server has accepted is never sent again by intention. If the process is killed between that
answer and the commit, the row is claimed once more when its lease is over, and the same Message-ID is sent: delivery is
at least once, and receivers can drop the second copy.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as now_said
from django.utils.translation import gettext_lazy as _

from postern.apps.audits import facade as audits
from postern.apps.authn import facade as authn
from postern.apps.notifications import link_tokens
from postern.apps.notifications.declarations.catalogue import SET_PASSWORD_LINK
from postern.apps.notifications.models import DeliveryChannel, DeliveryState, MessageDelivery, SiteMessage
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import User
from postern.foundation.bus import waking
from postern.foundation.caller.actor import SYSTEM, Actor
from postern.foundation.phrases import Phrase, sentence_from, stored
from postern.kernel import clock
from postern.kernel.errors import Conflict
from postern.kernel.ids import ROOT_ORG_ID, new_id
from postern.kernel.sentences import Sentence

#: While a claimed row belongs to its sender. Longer than one try may take (`mailing.LIMIT_S`).
LEASE: Final = timedelta(minutes=2)
#: How long a message is tried.
GIVE_UP_AFTER: Final = timedelta(hours=24)
#: How long everything waits after a failure that concerns all messages, such as a dead mail server.
REST: Final = timedelta(minutes=1)
#: Pauses after the first, second … failed try; the last pause repeats.
PAUSES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 240, 360))
_BATCH: Final = 1000
#: The periodic tasks that send.
SEND_MAIL: Final = "postern.apps.notifications.tasks.send_mail"
SEND_COMPANY_MESSAGES: Final = "postern.apps.notifications.tasks.send_company_messages"

_NO_ADDRESS: Final = Phrase(
    "delivery.no_address", _("The user has no mail address. Enter one on the page of the user, then try again.")
)
_NOT_VALID: Final = Phrase("delivery.user_not_valid", _("The account of the user is disabled or has expired."))
_NOT_TRIED: Final = Phrase(
    "delivery.not_tried", _("It was not tried: the delivery method was not configured, or no worker ran.")
)
_GIVEN_UP: Final = Phrase("delivery.given_up", _("Not delivered within %(hours)d hours. Last reason: %(reason)s"))


class NotRetried(Conflict):
    """Only a failed delivery can be tried again."""

    code = "not_failed"


def enqueue(
    message: SiteMessage,
    user_ids: Collection[UUID],
    *,
    channel: DeliveryChannel = DeliveryChannel.EMAIL,
    give_up_at: datetime | None = None,
) -> list[MessageDelivery]:
    """Store the deliveries of a message, which are tried for a day or until `give_up_at`.

    Users without a mail address get a failed one, so that somebody sees it. Users who have bound no account at a service
    get none: binding is their choice.
    """
    addresses: Mapping[UUID, str]
    if channel is DeliveryChannel.EMAIL:
        addresses = dict(User.objects.filter(pk__in=list(user_ids)).values_list("pk", "email"))
    else:
        addresses = authn.external_subjects(channel, user_ids)
        user_ids = [user_id for user_id in user_ids if user_id in addresses]
    host = urlsplit(preferences.get_str("SITE_URL")).hostname or "localhost"
    rows = []
    for user_id in user_ids:
        has_address = bool(addresses.get(user_id))
        row = MessageDelivery(
            message=message,
            user_id=user_id,
            channel=channel,
            state=DeliveryState.WAITING if has_address else DeliveryState.FAILED,
            address=addresses.get(user_id, ""),
            mail_id=f"{new_id()}@{host}",
            next_try=message.date_created,
            give_up_at=give_up_at or message.date_created + GIVE_UP_AFTER,
            reason=None if has_address else stored(_NO_ADDRESS.say()),
            date_created=message.date_created,
        )
        rows.append(row)
    if rows:
        _wake_sender(channel)
    return MessageDelivery.objects.bulk_create(rows, batch_size=_BATCH)


def _wake_sender(channel: str) -> None:
    waking.wake_after_commit(SEND_MAIL if channel == DeliveryChannel.EMAIL else SEND_COMPANY_MESSAGES)


def claim(channel: DeliveryChannel = DeliveryChannel.EMAIL) -> MessageDelivery | None:
    """Claim the delivery of a channel that is due first; None when nothing is due."""
    return _claim(_due(channel))


def claim_together(channel: DeliveryChannel, most: int) -> list[MessageDelivery]:
    """Claim deliveries of one message, which have the same text: the one that is due first, and others of its message."""
    first = claim(channel)
    if first is None:
        return []
    rows = [first]
    while len(rows) < most:
        further = _claim(_due(channel).filter(message_id=first.message_id))
        if further is None:
            break
        rows.append(further)
    return rows


def _due(channel: DeliveryChannel) -> QuerySet[MessageDelivery]:
    rows = MessageDelivery.objects.filter(channel=channel, state=DeliveryState.WAITING, next_try__lte=clock.now())
    return rows.order_by("next_try", "id")


@transaction.atomic
def _claim(due: QuerySet[MessageDelivery]) -> MessageDelivery | None:
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True)
    row = due.first()
    if row is None:
        return None
    claimed_until = clock.now() + LEASE
    # On SQLite, where rows cannot be locked, another process may have claimed the row since.
    same = MessageDelivery.objects.filter(
        pk=row.pk, state=DeliveryState.WAITING, tries=row.tries, next_try=row.next_try
    )
    if not same.update(tries=row.tries + 1, next_try=claimed_until, date_updated=clock.now()):
        return None
    return MessageDelivery.objects.select_related("message", "user").get(pk=row.pk)


def fail_late() -> None:
    """End the deliveries whose time is over, also while their channel is not configured."""
    now = clock.now()
    late = MessageDelivery.objects.filter(state=DeliveryState.WAITING, next_try__lte=now, give_up_at__lt=now)
    for row in late.select_related("message", "user").order_by("next_try")[:_BATCH]:
        refused(row, row.address, sentence_from(row.reason) or _NOT_TRIED.say(), is_final=False)


@transaction.atomic
def accepted(row: MessageDelivery, address: str) -> None:
    """The other side has accepted the message. True whatever else has become of the row."""
    now = clock.now()
    MessageDelivery.objects.filter(pk=row.pk).update(
        state=DeliveryState.ACCEPTED, address=address, reason=None, date_accepted=now, date_updated=now
    )
    _forget_link(row)


@transaction.atomic
def refused(row: MessageDelivery, address: str, reason: Sentence, *, is_final: bool) -> None:
    """The try failed: plan the next try, or end the delivery. No-op if the claim is over."""
    now = clock.now()
    next_try = now + PAUSES[min(max(row.tries, 1), len(PAUSES)) - 1]
    ends = is_final or next_try > row.give_up_at
    if ends and not is_final:
        tried = min(row.give_up_at - row.date_created, GIVE_UP_AFTER)  # shorter for a link, longer after a retry
        reason = _GIVEN_UP.say(hours=max(round(tried / timedelta(hours=1)), 1), reason=reason)
    held = MessageDelivery.objects.filter(pk=row.pk, state=DeliveryState.WAITING, tries=row.tries)
    changed = held.update(
        state=DeliveryState.FAILED if ends else DeliveryState.WAITING,
        address=address,
        reason=stored(reason),
        next_try=next_try,
        date_updated=now,
    )
    if changed and ends:
        _forget_link(row)
        _record(SYSTEM, audits.Event.DELIVERY_FAILED, row, {"tries": row.tries, "reason": reason.text})


def rest(reason: Sentence, channel: DeliveryChannel = DeliveryChannel.EMAIL) -> None:
    """Everything that is due waits a moment, because the server, the service or the account is at fault."""
    now = clock.now()
    _due(channel).order_by().update(next_try=now + REST, reason=stored(reason), date_updated=now)


def not_sent(row: MessageDelivery) -> Sentence | None:
    """Why the message is not even sent to its user; None when it may be sent."""
    if not User.objects.valid().filter(pk=row.user_id).exists():
        return _NOT_VALID.say()
    return _NO_ADDRESS.say() if row.channel == DeliveryChannel.EMAIL and not row.user.email else None


@transaction.atomic
def retry(*, actor: Actor, row: MessageDelivery) -> MessageDelivery:
    """Try a failed delivery again, for another day. Raises NotRetried, also for a message with a link."""
    now: datetime = clock.now()
    row = MessageDelivery.objects.select_for_update(of=("self",)).select_related("message", "user").get(pk=row.pk)
    if row.state != DeliveryState.FAILED:
        raise NotRetried(now_said("Only a failed delivery can be tried again."))
    if _has_link(row):
        raise NotRetried(now_said("The link of this message was deleted. Reset the password of the user again."))
    row.state, row.tries, row.reason = DeliveryState.WAITING, 0, None
    row.next_try, row.give_up_at = now, now + GIVE_UP_AFTER
    row.save(update_fields=["state", "tries", "reason", "next_try", "give_up_at", "date_updated"])
    _record(actor, audits.Event.DELIVERY_RETRIED, row, {"state": row.state})
    _wake_sender(row.channel)
    return row


def _has_link(row: MessageDelivery) -> bool:
    return row.message.message_type == SET_PASSWORD_LINK.name


def _forget_link(row: MessageDelivery) -> None:
    """A link is stored until its delivery ends."""
    if _has_link(row):
        link_tokens.drop(row.pk)


def _record(actor: Actor, event: audits.Event, row: MessageDelivery, new: dict[str, object]) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action="update",
        object_type="MessageDelivery",
        object_id=str(row.pk),
        object_name=row.message.subject,
        old={"state": DeliveryState.WAITING if event is audits.Event.DELIVERY_FAILED else DeliveryState.FAILED},
        new={"user": str(row.user), "channel": row.channel, **new},
    )
