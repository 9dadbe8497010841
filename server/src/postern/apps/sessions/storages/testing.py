"""Tests a storage: writes, reads, reads a range of, and deletes a small object. Every test is audited."""

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.audits import facade as audits
from postern.apps.sessions.storages import remote
from postern.apps.sessions.storages.models import ReplayStorage, Storage
from postern.foundation.caller.actor import Actor
from postern.foundation.phrases import Phrase, said
from postern.integrations.replay_storages.failures import StorageFailed
from postern.kernel.errors import PosternError
from postern.kernel.sentences import NOTHING, Sentence

_NULL = Phrase("storage.keeps_nothing", gettext_lazy("This storage keeps nothing: what is sent to it is lost."))
_FAILED = Phrase("storage.failed", gettext_lazy("The storage could not be used. The log of this service says why."))


def test_storage(*, actor: Actor, storage: Storage) -> tuple[bool, str]:
    """Whether the storage can be used, and what to tell the person who tests it."""
    reason = _reason(storage)
    with transaction.atomic():
        audits.record_change(
            actor=actor,
            action="other",
            target=storage,
            new={"accepted": not reason, "reason": reason.code},
            event=audits.Event.STORAGE_TESTED,
        )
    if reason:
        return False, said(reason)
    return True, _("The storage can be used.")


def _reason(storage: Storage) -> Sentence:
    """Why the storage cannot be used; nothing when it can be."""
    if storage.keeps_nothing:
        return _NULL.say()
    if not isinstance(storage, ReplayStorage) or not storage.is_remote:
        return NOTHING
    try:
        remote.connect(storage).probe()
    except StorageFailed as error:
        return error.sentence
    except PosternError as error:  # the secret store
        return error.sentence
    except OSError:
        return _FAILED.say()
    return NOTHING
