"""People of the directory become users, and users follow the directory."""

from collections.abc import Mapping, Sequence
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
    (refusal,) = refusals([person]).values()
    if refusal:
        raise NotAdmitted(refusal)
    with write_transaction():
        return create(actor=actor, scope=scope, person=person)


def refusals(people: Sequence[Person]) -> dict[str, str]:
    """The reason why each person cannot become a user, by uid; empty for people who can."""
    names = set(
        User.objects.filter(username_key__in=[person.username_key for person in people]).values_list(
            "username_key", flat=True
        )
    )
    addresses = [str(columns_of(person)["email"]) for person in people]
    taken = set(User.objects.filter(email__in=addresses).values_list("email", flat=True))
    reasons: dict[str, str] = {}
    for person, address in zip(people, addresses, strict=True):
        if not person.uid:
            reasons[person.uid] = _("The entry has neither entryUUID nor objectGUID that the bind DN may read.")
        elif person.username_key in names:
            reasons[person.uid] = _("Another account has this username.")
        elif address in taken:
            reasons[person.uid] = _("Another account has this mail address.")
        else:
            reasons[person.uid] = ""
            taken.add(address)
    return reasons


def create(*, actor: Actor, scope: OrgScope, person: Person) -> User:
    """Create the user of a person without a refusal. Must run inside a transaction. Raises ValidationError,
    IntegrityError.
    """
    columns = {
        **columns_of(person),
        "username": person.username,
        "source": Source.LDAP,
        "is_active": person.is_enabled,
    }
    # The database checks unique columns.
    User(**columns).clean_fields(exclude=["password", "username_key"])
    user = users.create_user(actor=actor, scope=scope, person=users.PersonInput(columns=columns)).user
    DirectoryIdentity.objects.create(user=user, uid=person.uid, digest=person.digest)
    return user


def columns_of(person: Person) -> dict[str, object]:
    """The values of a user that come from the directory."""
    email = person.email or users.stand_in_mail(person.username, domain=_NO_MAIL)
    return {"name": person.name, "email": email, **{name: value for name, value in person.more.items() if value}}


def follow(*, actor: Actor, user: User, columns: Mapping[str, object]) -> bool:
    """Update and audit the values that differ from the directory. Returns whether any did. Raises PosternError."""
    changed = {name: value for name, value in columns.items() if getattr(user, name) != value}
    if "email" in changed and User.objects.filter(email=changed["email"]).exclude(pk=user.pk).exists():
        del changed["email"]  # another account has this address; both accounts keep theirs
    if changed:
        users.update_user(actor=actor, scope=ROOT, user=user, person=users.PersonInput(columns=changed))
    return bool(changed)


def person_of_row(row: DirectoryEntry) -> Person:
    """The person of a row of the last reading."""
    return Person(row.uid, row.dn, row.username, row.name, row.email, tuple(row.groups), row.is_enabled, dict(row.more))
