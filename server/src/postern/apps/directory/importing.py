"""Import people of the last reading as users of an organization. Importing a person again changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.directory.arrivals import create, person_of_row, refusals
from postern.apps.directory.cache import batches
from postern.apps.directory.models import DirectoryEntry, DirectoryIdentity
from postern.apps.orgs.roles import OrgRole
from postern.apps.users import facade as users
from postern.apps.users.models import User, username_key
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import PosternError

#: Maximum number of people in one transaction.
_BATCH = 100


@dataclass(slots=True)
class Imported:
    """Result of an import. `added`: existing users who joined the organization. `refused`: reason by username."""

    created: int = 0
    added: int = 0
    unchanged: int = 0
    refused: dict[str, str] = field(default_factory=dict)


def import_people(*, actor: Actor, scope: OrgScope, usernames: Sequence[str]) -> Imported:
    """Import these people by login name. Each batch is one transaction. People who cannot be imported are skipped."""
    result = Imported()
    names = {username_key(name): name for name in usernames}
    for keys in batches(names, _BATCH):
        rows: dict[str, list[DirectoryEntry]] = {key: [] for key in keys}
        for row in DirectoryEntry.objects.filter(username_key__in=keys):
            rows[row.username_key].append(row)
        chosen: list[DirectoryEntry] = []
        for key, entries in rows.items():
            if len(entries) == 1:
                chosen.append(entries[0])
            elif entries:
                result.refused[names[key]] = _("The directory has several people with this username.")
            else:
                result.refused[names[key]] = _("The directory has nobody with this username.")
        _import_batch(actor, scope, chosen, result)
    return result


def _import_batch(actor: Actor, scope: OrgScope, rows: list[DirectoryEntry], result: Imported) -> None:
    users_by_uid = {
        identity.uid: identity.user
        for identity in DirectoryIdentity.objects.select_related("user").filter(uid__in=[row.uid for row in rows])
    }
    members = users.member_ids_among(scope.org_id, [user.pk for user in users_by_uid.values()])
    new: list[DirectoryEntry] = []
    for row in rows:
        user = users_by_uid.get(row.uid)
        if user is None:
            new.append(row)
        elif user.pk in members:
            result.unchanged += 1
        else:
            _add(actor, scope, user, row, result)
    refused = refusals([person_of_row(row) for row in new])
    result.refused |= {row.username: refused[row.uid] for row in new if refused[row.uid]}
    free = [row for row in new if not refused[row.uid]]
    try:
        with write_transaction():
            _create(actor, scope, free)
        result.created += len(free)
    except (ValidationError, IntegrityError, PosternError):  # retry one by one to find the invalid person
        for row in free:
            _import_one(actor, scope, row, result)


def _create(actor: Actor, scope: OrgScope, rows: list[DirectoryEntry]) -> None:
    """Create these users, with one audit record."""
    for row in rows:
        create(actor=actor, scope=scope, person=person_of_row(row))
    if rows:
        audits.record(
            actor=actor,
            org_id=scope.org_id,
            event=audits.Event.DIRECTORY_IMPORTED,
            object_type="DirectoryEntry",
            object_name="LDAP",
            new={"created": len(rows)},
        )


def _import_one(actor: Actor, scope: OrgScope, row: DirectoryEntry, result: Imported) -> None:
    try:
        with write_transaction():
            _create(actor, scope, [row])
        result.created += 1
    except ValidationError as error:
        result.refused[row.username] = " ".join(error.messages)
    except PosternError as error:
        result.refused[row.username] = error.message
    except IntegrityError:
        result.refused[row.username] = _("Another account has this username.")


def _add(actor: Actor, scope: OrgScope, user: User, row: DirectoryEntry, result: Imported) -> None:
    try:
        users.add_org_role(actor=actor, scope=scope, user=user, role=OrgRole.USER)
        result.added += 1
    except PosternError as error:
        result.refused[row.username] = error.message
