"""Sign-in with a password of the directory. The permanent id of the entry identifies the user."""

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
    """The user of the directory who has this password; None when it is refused.

    `user`: the user with this login name in Postern. `may_create`: create unknown people as users, if the settings
    allow it. The password of an account of another source, such as a local account, is never sent to the directory. The
    directory is then queried for a name that does not exist, so that the response time is the same. Raises
    DirectoryUnavailable when the password could not be checked.
    """
    if not is_on() or not password:
        return None
    may_create = may_create and preferences.get_bool("AUTH_LDAP_CREATE_AT_SIGN_IN")
    if user is not None and user.source != Source.LDAP:
        _query_nonexistent_name()
        return None
    try:
        judgement = passwords.judge(username, password)
    except DirectoryUnavailable:
        if user is None and not may_create:
            return None  # the same answer as for other names that Postern does not have
        raise
    if judgement.person is None:
        if user is not None:  # an unknown name may be a password in the wrong field
            log.warning("the directory refused the sign-in of %s: %s", user.username, judgement.reason)
        return None
    return _user_of(user, judgement.person, may_create=may_create)


def _query_nonexistent_name() -> None:
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
    """Link a user whom an administrator has created for the directory to their entry, at their first sign-in."""
    is_linked = DirectoryIdentity.objects.filter(user=user).exists()
    if is_linked or not person.uid or user.username_key != person.username_key:
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
    except IntegrityError:  # a concurrent sign-in created the user
        identity = DirectoryIdentity.objects.select_related("user").filter(uid=person.uid).first()
        return (
            identity.user
            if identity is not None and identity.user.username_key == username_key(person.username)
            else None
        )
    return None
