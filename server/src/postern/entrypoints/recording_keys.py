"""`postern recording keys` and `postern recording rotate-key`: keys for sealing recordings."""

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.sessions.recordings import replays
from postern.contracts.recording import TrustedKeys
from postern.contracts.recording.trusted_keys import PRIVATE_KEY
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.settings import Settings
from postern.kernel.ids import ROOT_ORG_ID
from postern.proxies.core.recording.signing import SealingKey, prepare_rotation


def show(settings: Settings) -> int:
    """Print each key with the number of recordings that are sealed with it."""
    path = settings.secrets_dir / PRIVATE_KEY
    present = SealingKey.load(path).key_id if path.exists() else ""
    counts = replays.counts_by_key()
    trusted = set(TrustedKeys(settings.secrets_dir).ids())
    for name in sorted(trusted | set(counts)):
        mark = "*" if name == present else " "
        note = "" if name in trusted else "  (its public key is not in this folder of secrets)"
        print(f"{mark} {name}  {counts.get(name, 0)} recordings{note}")
    return 0


def rotate(settings: Settings) -> int:
    """Replace the current key. The running proxy uses the new key from the next recording that it seals."""
    rotation = prepare_rotation(settings.secrets_dir / PRIVATE_KEY)
    try:
        with transaction.atomic():
            audits.record(
                actor=SYSTEM,
                org_id=ROOT_ORG_ID,
                event=audits.Event.RECORDING_KEY_ROTATED,
                action="update",
                object_type="RecordingKey",
                object_id=rotation.key.key_id,
                object_name=rotation.key.key_id,
                old={"key_id": rotation.former or None},
                new={"key_id": rotation.key.key_id},
            )
            rotation.install()
    except BaseException:
        rotation.discard()
        raise
    print(f"recordings are sealed with key {rotation.key.key_id} from now on")
    return 0
