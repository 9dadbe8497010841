"""Updates users from the directory: names and mail addresses, disabled accounts, people who have left."""

import logging
from collections import Counter
from collections.abc import Callable

from django.db import Error

from postern.apps.directory.arrivals import columns_of, follow
from postern.apps.directory.cache import row_batches
from postern.apps.directory.models import DirectoryIdentity
from postern.apps.directory.people import Person
from postern.apps.directory.staging import Staged
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import Source
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import PosternError

log = logging.getLogger(__name__)


def follow_all(
    people: Staged, *, may_disable_missing: bool, still_ours: Callable[[], bool], actor: Actor
) -> dict[str, int]:
    """Update every user of the directory whose values differ from it. Returns the number of changes by kind.

    `still_ours`: returns False when another worker has taken over; that worker then does the rest.
    """
    disables = preferences.get_str("AUTH_LDAP_LEAVERS") == "disable"
    counts = Counter({"updated": 0, "disabled": 0, "enabled": 0, "refused": 0})
    identities = DirectoryIdentity.objects.select_related("user").filter(user__source=Source.LDAP)
    for batch in row_batches(identities):
        if not still_ours():
            break
        people_by_uid = people.with_ids(identity.uid for identity in batch)
        for identity in batch:
            person = people_by_uid.get(identity.uid)
            if person is None and not may_disable_missing:
                continue
            try:
                verb = _follow_one(identity, person, disables=disables, actor=actor)
            except (PosternError, Error) as error:  # the last administrator, or a mail address that was taken meanwhile
                log.warning("user %s cannot follow the directory: %s", identity.user.username, error)
                verb = "refused"
            if verb:
                counts[verb] += 1
    return dict(counts)


def missing(people: Staged) -> tuple[int, int]:
    """The number of active users who are missing in `people`, and the number of all active users of the directory."""
    missing_users = active_users = 0
    for batch in row_batches(DirectoryIdentity.objects.filter(user__source=Source.LDAP, user__is_active=True)):
        active_users += len(batch)
        missing_users += len(batch) - len(people.with_ids(identity.uid for identity in batch))
    return missing_users, active_users


def _follow_one(identity: DirectoryIdentity, person: Person | None, *, disables: bool, actor: Actor) -> str:
    """Update one user. Returns the key of the change in the counts; empty without a change."""
    user = identity.user
    may_use = person is not None and person.is_enabled
    columns = columns_of(person) if person is not None and person.digest != identity.digest else {}
    was_disabled, verb = identity.was_disabled and not user.is_active, ""
    if disables and not may_use and user.is_active:
        columns["is_active"], was_disabled, verb = False, True, "disabled"
    elif may_use and was_disabled:
        columns["is_active"], was_disabled, verb = True, False, "enabled"
    digest = person.digest if person is not None else identity.digest
    if not columns and (digest, was_disabled) == (identity.digest, identity.was_disabled):
        return ""
    with write_transaction():
        has_changed = follow(actor=actor, user=user, columns=columns)
        DirectoryIdentity.objects.filter(pk=identity.pk).update(digest=digest, was_disabled=was_disabled)
    return verb or ("updated" if has_changed else "")
