"""The witness outside gets every statement; whatever happens to its file, checkpoints go on."""

import json
import os
from dataclasses import replace
from pathlib import Path
from threading import Event as Signal
from typing import Any

import pytest

from integration.audits.test_audit_chain import _write
from postern.apps.audits import checkpoints, facade, witness
from postern.apps.audits.signed_statements import SignedStatement
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.POSTERN = replace(settings.POSTERN, home=tmp_path, audit_witness=tmp_path / "outside" / "witness.jsonl")
    return tmp_path


def test_witness_gets_every_statement_and_its_absence_stops_nothing(home: Path) -> None:
    path = home / "outside" / "witness.jsonl"
    _write(1)
    assert checkpoints.write()
    path.parent.mkdir()
    _write(2)
    assert checkpoints.write()
    written = [SignedStatement.parse(json.loads(line)) for line in path.read_text().splitlines()]
    assert [statement.position.sequence for statement in written] == [3]
    assert all(statement.is_signed() for statement in written)
    assert facade.heads()[DEFAULT_ORG_ID] == 3


@pytest.mark.parametrize(("has_reader", "reason"), [(False, "No such device or address"), (True, "not a regular file")])
def test_pipe_is_no_witness(home: Path, has_reader: bool, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    path = home / "outside" / "witness.jsonl"
    path.parent.mkdir()
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if has_reader else None
    _write(1)
    assert checkpoints.write()
    assert f"the checkpoint was not written to the witness {path}: " in caplog.text
    assert reason in caplog.text
    if reader is not None:
        assert os.read(reader, 10) == b""
        os.close(reader)


def test_witness_that_hangs_holds_up_nothing(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    answers, asked = Signal(), []

    def hang(path: Path, lines: bytes) -> None:
        asked.append(lines)
        assert answers.wait(60)

    monkeypatch.setattr(witness, "_append", hang)
    monkeypatch.setattr(witness, "_LIMIT_S", 0.01)
    _write(1)
    assert checkpoints.write()
    assert "does not answer; checkpoints go on without it" in caplog.text
    _write(1)
    assert checkpoints.write()
    assert "an earlier write hangs" in caplog.text
    assert len(asked) == 1
    answers.set()
    assert witness._writing.acquire(timeout=60), "the next statement is written again"
    witness._writing.release()
