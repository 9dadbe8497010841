"""People of the directory become users, and users follow the directory."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext as _

from postern.apps.directory.models import DirectoryEntry, DirectoryIdentity
from postern.apps.directory.people import Person
from postern.apps.users import facade as users
from postern.apps.users.models import Source, User
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import ROOT, OrgScope
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import PosternError

#: Users need a mail address. This domain never exists (RFC 2606).
_NO_MAIL: Final = "directory.invalid"
FOLLOWED: Final = ("name", "email", "phone", "wechat", "comment")


class NotAdmitted(PosternError):
    """The person cannot become a user."""

    code = "not_admitted"


def admit(*, actor: Actor, scope: OrgScope, person: Person) -> User:
    """Create the user of a person, with the role User. Raises NotAdmitted, ValidationError, IntegrityError.

    An account with this login name is never taken over, whoever it belongs to.
    """
    if not person.uid:
        raise NotAdmitted(_("The entry has neither entryUUID nor objectGUID that the bind DN may read."))
    if User.objects.named(person.username) is not None:
        raise NotAdmitted(_("Another account has this username."))
    columns = columns_of(person)
    if User.objects.filter(email=columns["email"]).exists():
        raise NotAdmitted(_("Another account has this mail address."))
    columns |= {"username": person.username, "source": Source.LDAP, "is_active": person.is_enabled}
    User(**columns).full_clean(exclude=["password", "username_key"])
    with write_transaction():
        user = users.create_user(actor=actor, scope=scope, person=users.PersonInput(columns=columns)).user
        DirectoryIdentity.objects.create(user=user, uid=person.uid, digest=person.digest)
    return user


def columns_of(person: Person) -> dict[str, object]:
    """The values of a user that come from the directory."""
    email = person.email or f"{person.username}@{_NO_MAIL}".lower()
    return {"name": person.name, "email": email[:128], **{name: value for name, value in person.more.items() if value}}


def follow(*, actor: Actor, user: User, columns: Mapping[str, object]) -> bool:
    """Change a user as the directory says; audited, and only what differs. Returns whether anything did. Raises PosternError."""
    changed = {name: value for name, value in columns.items() if getattr(user, name) != value}
    if "email" in changed and User.objects.filter(email=changed["email"]).exclude(pk=user.pk).exists():
        del changed["email"]  # another account has it; both stay as they are
    if changed:
        users.update_user(actor=actor, scope=ROOT, user=user, person=users.PersonInput(columns=changed))
    return bool(changed)


def person_of_row(row: DirectoryEntry) -> Person:
    """The person of a row of the last reading."""
    return Person(row.uid, row.dn, row.username, row.name, row.email, tuple(row.groups), row.is_enabled, dict(row.more))
