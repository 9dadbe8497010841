"""Checkpoints of the chains, stored outside the database: the head of every chain, with a MAC over each line.

An attacker with full access to the database could delete the newest events and reset the head of the chain. The last
checkpoint still records the longer chain. Each line of the file is one JSON checkpoint. The file only grows, and the
MAC of an altered line does not match.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from postern.apps.audits import digest
from postern.apps.audits.models import AuditChain
from postern.kernel import clock
from postern.kernel.ids import same


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The heads of the chains: organization → (sequence, digest)."""

    heads: Mapping[UUID, tuple[int, str]]


def path() -> Path:
    """Path of the checkpoint file."""
    folder: Path = settings.POSTERN.home / "audit"
    return folder / "checkpoints.jsonl"


def write() -> bool:
    """Append a checkpoint if any chain has grown since the last checkpoint."""
    heads = {str(chain.org_id): [chain.sequence, chain.digest] for chain in AuditChain.objects.order_by("org_id")}
    last = _last_line()
    if not heads or (last is not None and last.get("heads") == heads):
        return False
    line: dict[str, Any] = {"at": clock.now().isoformat(timespec="seconds"), "heads": heads}
    line["mac"] = digest.of_text(_canonical(line))
    path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:
        file.write(json.dumps(line, sort_keys=True) + "\n")
        file.flush()
        os.fsync(file.fileno())
    return True


def read() -> Iterator[Checkpoint | None]:
    """All checkpoints, oldest first; None for each altered line."""
    try:
        lines = path().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return
    for text in lines:
        yield _parse(text)


def _parse(text: str) -> Checkpoint | None:
    try:
        line = json.loads(text)
        mac = line.pop("mac")
        if not same(mac, digest.of_text(_canonical(line))):
            return None
        return Checkpoint({UUID(org): (int(head[0]), str(head[1])) for org, head in line["heads"].items()})
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _last_line() -> dict[str, Any] | None:
    try:
        lines = path().read_text(encoding="utf-8").splitlines()
        return json.loads(lines[-1]) if lines else None
    except (FileNotFoundError, ValueError):
        return None


def _canonical(line: Mapping[str, Any]) -> str:
    return json.dumps({"at": line["at"], "heads": line["heads"]}, sort_keys=True, separators=(",", ":"))
