"""The key that signs the log: made once, and replaced by a rotation that may be killed at any point."""

import pkgutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from integration.audits.test_audit_chain import _write
from postern.apps.audits import checkpoint_file, checkpoints, facade, signing_key
from postern.apps.audits.models import AuditEvent
from postern.apps.audits.signing_key import SigningKey, present_id, trusted_keys
from postern.entrypoints import cli
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.POSTERN = replace(settings.POSTERN, home=tmp_path)
    return tmp_path


def test_key_is_made_once_by_whoever_comes_first(home: Path) -> None:
    together = Barrier(8)

    def current(_number: int) -> str:
        together.wait(60)
        return SigningKey.current().key_id

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(current, range(8)))
    assert ids == set(trusted_keys().ids())
    assert len(ids) == 1
    facade.make_keys()
    assert present_id() in ids
    assert sorted(path.name for path in (home / "secrets").iterdir() if path.is_file() and "sign" in path.name) == [
        "audit_signing_key.pem",
        "audit_signing_key.pub",
    ]


class Killed(BaseException):
    """Stands for the end of the process."""


#: The steps of a rotation: what does it at which call, and whether the new key signs when the process ends before.
STEPS = {
    "the new key is trusted": ("postern.apps.audits.signing_key.SigningKey.trust", 2, False),
    "the rotation is recorded": ("postern.apps.audits.facade.record", 1, False),
    "the new key is used": ("postern.apps.audits.signing_key.SigningKey.install", 1, False),
    "its file is in place for sure": ("postern.apps.audits.signing_key._to_disk", 2, True),
    "its public half is published": ("postern.apps.audits.signing_key.SigningKey.publish", 2, True),
}


def rotate_until(step: str, call: int, patch: pytest.MonkeyPatch) -> None:
    """Rotate the key in a process that ends before a step."""
    do, calls = pkgutil.resolve_name(step), count(1)

    def end_at(*values: Any, **named: Any) -> Any:
        if next(calls) == call:
            raise Killed
        return do(*values, **named)

    patch.setattr(step, end_at)
    cli.main(["audit", "rotate-key"])


@pytest.mark.parametrize(("step", "call", "is_new"), STEPS.values(), ids=STEPS.keys())
def test_rotation_killed_before_a_step_is_finished_by_the_next(
    step: str, call: int, is_new: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(1)
    checkpoints.write()
    former = present_id()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        rotate_until(step, call, patch)
    present = present_id()
    assert (present != former) == is_new
    recorded = AuditEvent.objects.filter(event="audit.key_rotated")
    assert present == former or recorded.filter(resource_id=present).exists(), "a key signs before it is recorded"
    _write(1)
    assert checkpoints.write()
    assert checkpoint_file.last_statements()[DEFAULT_ORG_ID].key_id == present
    assert facade.verify_log().faults == ()

    capsys.readouterr()
    assert cli.main(["audit", "rotate-key"]) == 0
    new = present_id()
    assert f"former key: {present}\n" in (output := capsys.readouterr().out)
    assert f"is signed with key {new} from now on" in output
    assert new not in {former, present}
    keys = list(recorded.order_by("sequence").values_list("resource_id", flat=True))
    assert (keys[-1], len(keys)) == (new, len(set(keys)))
    assert set(keys) | {former} == set(trusted_keys().ids()), "a key is trusted that was never recorded"
    assert not (signing_key._folder() / signing_key.NEXT_KEY).exists()
    _write(1)
    assert checkpoints.write()
    assert facade.verify_log().faults == ()
