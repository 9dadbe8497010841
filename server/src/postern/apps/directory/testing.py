"""Tests the settings of the directory, saved or not, and a sign-in."""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.directory import lookups, passwords
from postern.apps.directory.errors import NotUsable, PasswordRequired
from postern.apps.directory.source import ADDRESSEE, NAMES, PASSWORD, source_of, stored_source
from postern.apps.directory.staging import staged
from postern.apps.preferences import facade as preferences
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: The administrator waits for the result. A directory of 20,000 people can be read in this time.
LIMIT_S: Final = 20.0
#: The fields of the test, in the order of the form.
FIELDS: Final = (*ADDRESSEE, PASSWORD, *NAMES[len(ADDRESSEE) :], "AUTH_LDAP")


def try_settings(*, actor: Actor, entered: Mapping[str, object]) -> str:
    """Read the directory with these values. Returns a sentence with the number of people and an example.

    Missing values are replaced with the stored values. An empty password means the stored password, None means no
    password. The stored password is sent only to the server and DN that it is stored for. Otherwise a caller could send
    it to any server. Every test is audited. Raises DirectoryFailed, NotUsable, PasswordRequired.
    """
    stored = preferences.get_many(*NAMES)
    values = {**stored, **{name: value for name, value in entered.items() if name in stored}}
    try:
        source = source_of(values, _password(entered, stored, values))
        with staged() as people:
            lookups.read_all(source, people, limit_s=LIMIT_S)
            example, number, with_id = people.first(), people.number(), people.number_with_id()
        if example is None:
            raise NotUsable(_("The connection works, but nobody was found. Check User OU, the filter and the group."))
    except PosternError as error:
        _record(actor, values, error.sentence.code or error.code)
        raise
    _record(actor, values, "")
    report = _(
        "The connection works: %(number)d people were found, for example %(username)s (%(name)s, %(email)s)."
    ) % {
        "number": number,
        "username": example.username,
        "name": example.name,
        "email": example.email or "-",
    }
    if not with_id:
        report += " " + _("They have no entryUUID or objectGUID that the bind DN may read, so nobody can be imported.")
    return report


def try_sign_in(*, actor: Actor, username: str, password: Secret) -> str:
    """Try a sign-in with the stored settings, switched on or not. Returns a sentence with the user.

    The password goes to the directory and nowhere else. Raises DirectoryFailed, NotUsable, DirectoryUnavailable.
    """
    try:
        judgement = passwords.judge_at(stored_source(), username, password, limit_s=LIMIT_S)
    except PosternError as error:
        _record_sign_in(actor, is_accepted=False, reason=error.sentence.code or error.code)
        raise
    _record_sign_in(actor, is_accepted=judgement.person is not None, reason="")
    if judgement.person is not None:
        text = _("The sign-in of %(username)s works (%(dn)s).") % {
            "username": judgement.person.username,
            "dn": judgement.person.dn,
        }
        if not preferences.get_bool("AUTH_LDAP"):
            text += " " + _("LDAP authentication is still switched off.")
        return text
    raise NotUsable(_explained(judgement.reason))


def _explained(reason: str) -> str:
    explanations = {
        "empty": _("Enter a username and a password."),
        "unknown": _("The search finds nobody with this username. Check User OU and the filter."),
        "ambiguous": _("The search finds several people with this username. Make the filter more exact."),
        "not in a group of the settings": _("The password is right, but the person is in no group of the settings."),
        "account disabled": _("The password is right, but the directory has disabled the account."),
    }
    return explanations.get(reason) or _("The directory refused the password: %(reason)s.") % {"reason": reason}


def _password(
    entered: Mapping[str, object], stored: Mapping[str, object], values: Mapping[str, object]
) -> Secret | None:
    """The entered password; the stored password if the field is empty; None if the password is to be removed."""
    typed = entered.get(PASSWORD, "")
    if typed is None:
        return None
    return Secret(str(typed)) if typed else _stored_password(stored, values)


def _stored_password(stored: Mapping[str, object], values: Mapping[str, object]) -> Secret | None:
    password = preferences.get_secret(PASSWORD)
    if password is not None and any(str(stored[name]).strip() != str(values[name]).strip() for name in ADDRESSEE):
        raise PasswordRequired(preferences.refusal_of_ldap_password())
    return password


def _record_sign_in(actor: Actor, *, is_accepted: bool, reason: str) -> None:
    """Audit a test without its login name, which may be a password in the wrong field."""
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.LDAP_SIGN_IN_TESTED,
            object_type="PreferenceValue",
            object_name="AUTH_LDAP",
            new={"accepted": is_accepted, "reason": reason},
        )


def _record(actor: Actor, values: Mapping[str, object], reason: str) -> None:
    """`reason`: the code of the failure; empty when the directory has matching people."""
    tested = {name: values[name] for name in NAMES if name != "AUTH_LDAP_CA_CERTIFICATE"}
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.LDAP_TESTED,
            object_type="PreferenceValue",
            object_name=str(values["AUTH_LDAP_SERVER_URI"])[:128],
            new={**tested, "accepted": not reason, "reason": reason},
        )
