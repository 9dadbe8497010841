"""Writes of the licence: installation, and the warning before it ends."""

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.licence import queries
from postern.apps.licence.document import MAX_BYTES, Licence
from postern.apps.licence.errors import Fault, LicenceRefused
from postern.apps.licence.events import LicenceExpiring
from postern.apps.licence.models import InstalledLicence
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID


def install(*, actor: Actor, data: bytes) -> Licence:
    """Install a licence file and replace the former one. Raises LicenceRefused; then nothing has changed.

    Refusals are audited too, because they are attempts to enable licensed features.
    """
    try:
        text = _text_of(data)
        licence = queries.read(text)
        licence.require_current(clock.today())
    except LicenceRefused as refused:
        with transaction.atomic():
            _record(actor, audits.Event.LICENCE_REFUSED, {"why": str(refused.fault)})
        raise
    _replace(actor, text, licence)
    return licence


def _text_of(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise LicenceRefused(Fault.TOO_LARGE)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise LicenceRefused(Fault.UNREADABLE) from None


@transaction.atomic
def _replace(actor: Actor, text: str, licence: Licence) -> None:
    former = InstalledLicence.objects.select_for_update().first()
    if former is not None and former.text == text:  # the same file again: no change
        return
    InstalledLicence.objects.all().delete()
    InstalledLicence.objects.create(text=text, installed_by=actor.label[:260])
    _record(actor, audits.Event.LICENCE_INSTALLED, _shown(licence), old=_shown_former(former))


def _shown_former(former: InstalledLicence | None) -> dict[str, object] | None:
    """The replaced licence as the audit record stores it; None when it can no longer be read."""
    if former is None:
        return None
    try:
        return _shown(queries.read(former.text))
    except LicenceRefused:
        return None


def _shown(licence: Licence) -> dict[str, object]:
    return {
        "corporation": licence.corporation,
        "subscription_id": licence.subscription_id,
        "edition": licence.edition,
        "date_expired": licence.date_expired.isoformat(),
        "asset_count": licence.asset_count,
    }


@transaction.atomic
def warn_of_end() -> bool:
    """Warn, once a day, that the licence ends within a week or has ended. Returns whether a warning was sent."""
    row = InstalledLicence.objects.select_for_update().first()
    today = clock.today()
    if row is None or row.date_warned == today:
        return False
    try:
        licence = queries.read(row.text)
    except LicenceRefused:
        return False
    if not licence.is_expiring(today) and not licence.is_expired(today):
        return False
    if licence.is_expired(today) and row.date_warned is not None and row.date_warned > licence.date_expired:
        return False  # warn only once after the licence has ended
    row.date_warned = today
    row.save(update_fields=["date_warned"])
    events.publish(
        LicenceExpiring(
            corporation=licence.corporation,
            date_expired=licence.date_expired.isoformat(),
            days_left=licence.days_left(today),
        )
    )
    return True


def _record(actor: Actor, event: audits.Event, new: dict[str, object], *, old: dict[str, object] | None = None) -> None:
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=event,
        action="update" if event is audits.Event.LICENCE_INSTALLED else "other",
        object_type="Licence",
        object_name=str(new.get("corporation", "")),
        old=old,
        new=new,
    )
