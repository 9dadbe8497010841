"""Who signs in with a password of the directory: the user, found by the directory's lasting id."""

import logging

from django.core.exceptions import ValidationError
from django.db import IntegrityError

from postern.apps.directory import arrivals, passwords
from postern.apps.directory.errors import DirectoryUnavailable
from postern.apps.directory.models import DirectoryIdentity
from postern.apps.directory.people import Person
from postern.apps.orgs import facade as orgs
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import Source, User, username_key
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)


def is_on() -> bool:
    """Whether an administrator has switched the directory on."""
    return preferences.get_bool("AUTH_LDAP")


def owner_of(user: User | None, username: str, password: str, *, may_create: bool = True) -> User | None:
    """The user of the directory whose password this is; None when it is nobody's.

    `user`: who has this login name in Postern. `may_create`: unknown people may become users, if the settings say so.
    A password of somebody else's account, such as a local one, is never sent to the directory: for them it is asked about
    nobody, so that the answer takes as long as for others. Raises DirectoryUnavailable when a user of the directory could
    not be judged.
    """
    if not is_on() or not password:
        return None
    may_create = may_create and preferences.get_bool("AUTH_LDAP_CREATE_AT_SIGN_IN")
    if user is not None and user.source != Source.LDAP:
        _ask_about_nobody()
        return None
    try:
        judgement = passwords.judge(username, password)
    except DirectoryUnavailable:
        if user is None and not may_create:
            return None  # as for every name that Postern does not have
        raise
    if judgement.person is None:
        if user is not None:  # other names may be passwords in the wrong field
            log.warning("the directory refused the sign-in of %s: %s", user.username, judgement.reason)
        return None
    return _user_of(user, judgement.person, may_create=may_create)


def _ask_about_nobody() -> None:
    try:
        passwords.judge("\N{REPLACEMENT CHARACTER}nobody", "-")
    except DirectoryUnavailable:
        return


def _user_of(user: User | None, person: Person, *, may_create: bool) -> User | None:
    identity = DirectoryIdentity.objects.select_related("user").filter(uid=person.uid).first() if person.uid else None
    if identity is not None:
        if user is not None and identity.user_id != user.pk:
            log.warning("the directory's person %s is another user than %s", person.dn, user.username)
            return None
        return identity.user if identity.user.source == Source.LDAP else None
    if user is not None:
        return _linked(user, person)
    return _created(person) if may_create else None


def _linked(user: User, person: Person) -> User | None:
    """The user whom an administrator has created for the directory, at their first sign-in."""
    is_another = DirectoryIdentity.objects.filter(user=user).exists()
    if is_another or not person.uid or user.username_key != person.username_key:
        log.warning("the directory has another person under the name of %s: %s", user.username, person.dn)
        return None
    try:
        DirectoryIdentity.objects.create(user=user, uid=person.uid)
    except IntegrityError:
        return None
    return user


def _created(person: Person) -> User | None:
    try:
        return arrivals.admit(actor=SYSTEM, scope=orgs.find_scope("default"), person=person)
    except (ValidationError, PosternError) as error:
        log.warning("no user could be created for %s: %s", person.dn, error)
    except IntegrityError:  # somebody else created them at the same time
        named = DirectoryIdentity.objects.select_related("user").filter(uid=person.uid).first()
        return named.user if named is not None and named.user.username_key == username_key(person.username) else None
    return None
