"""Sends a test message with settings that are saved or not."""

from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from django.db import transaction
from django.utils.html import format_html
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Value
from postern.apps.preferences.errors import ConflictingSettings, PasswordRequired
from postern.apps.preferences.mail_account import ADDRESSEE, PASSWORD, MailAccount, account_of
from postern.apps.preferences.secret_destinations import MAIL
from postern.foundation.caller.actor import Actor
from postern.foundation.network import outbound
from postern.integrations.mail_server.client import send
from postern.integrations.mail_server.letter import Correspondent, Letter, correspondent_in
from postern.kernel import clock
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: The administrator waits for the result.
LIMIT_S: Final = 15.0
#: The fields of the test, in the order of the form.
FIELDS: Final = (
    *ADDRESSEE,
    PASSWORD,
    "EMAIL_FROM",
    "EMAIL_RECIPIENT",
    "EMAIL_USE_SSL",
    "EMAIL_USE_TLS",
)


def send_test_message(*, actor: Actor, entered: Mapping[str, Value]) -> str:
    """Send a message to the entered recipient, by default to the sender. Returns the address of the recipient.

    `entered`: validated values of `FIELDS`; missing values are replaced with the stored values. An empty password means
    the stored password, None means no password. The stored password is sent only to the server and account that it is
    stored for. Otherwise a caller could send it to any server. Every test is audited. Raises `MailFailed`,
    `PasswordRequired`, `ConflictingSettings`.
    """
    stored = queries.values((*(name for name in FIELDS if name != PASSWORD), "EMAIL_SUBJECT_PREFIX"))
    values = {**stored, **{name: value for name, value in entered.items() if name != PASSWORD}}
    if values["EMAIL_USE_SSL"] and values["EMAIL_USE_TLS"]:
        raise ConflictingSettings({"EMAIL_USE_TLS": _("Choose SSL or TLS: a connection uses one of the two.")})
    typed = str(entered.get(PASSWORD) or "")
    account = account_of(values, Secret(typed) if typed else None)
    recipient = correspondent_in(str(values["EMAIL_RECIPIENT"])) if values["EMAIL_RECIPIENT"] else account.sender
    try:
        if not typed and entered.get(PASSWORD, "") is not None:
            account = account_of(values, _stored_password(stored, values))
        send(account.server, _letter(account, recipient), check=outbound.check_mail_server, limit_s=LIMIT_S)
    except PosternError as error:
        _record(actor, values, recipient, error.sentence.code or error.code)
        raise
    _record(actor, values, recipient, "")
    return recipient.address


def _stored_password(stored: Mapping[str, Value], values: Mapping[str, Value]) -> Secret | None:
    password = queries.secret(PASSWORD)
    if password is not None and MAIL.is_changed(stored, values):
        raise PasswordRequired(MAIL.refusal_text())
    return password


def _letter(account: MailAccount, recipient: Correspondent) -> Letter:
    body = _("Postern sent this message to test the mail settings. They work.")
    return Letter(
        sender=account.sender,
        recipient=recipient,
        subject=account.subject(_("Test message")),
        text=body,
        html=format_html("<p>{}</p>", body),
        message_id=f"{uuid4()}@{account.sender.address.rpartition('@')[2] or 'localhost'}",
        date=clock.now(),
    )


def _record(actor: Actor, values: Mapping[str, Value], recipient: Correspondent, reason: str) -> None:
    """`reason`: the code of the failure; empty when the server accepted the message."""
    tested = {name: values[name] for name in FIELDS if name in values and name != "EMAIL_RECIPIENT"}
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.MAIL_TESTED,
            object_type="PreferenceValue",
            object_name=f"{values['EMAIL_HOST']}:{values['EMAIL_PORT']}",
            new={**tested, "recipient": recipient.address, "accepted": not reason, "reason": reason},
        )
