"""Promise 6: the verifier detects every change of a sealed file."""

import io
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from postern.contracts.recording import offline_verifier, parse_public_key, verify
from postern.contracts.recording.format import BLOCK, TRAILER, Trailer
from postern.proxies.core.recording.signing import SealingKey
from unit.contracts.recording.golden import FIXTURES, KEY, shell_steps, write_recording

DATA = (FIXTURES / "shell.postern").read_bytes()
TRAILER_PLACE = len(DATA) - TRAILER.size
MANIFEST = Trailer.decode(DATA[TRAILER_PLACE:])


def is_valid(data: bytes) -> bool:
    return verify(io.BytesIO(data), KEY.public).valid


def mutate(data: bytes, source: random.Random) -> bytes:
    """One random change: flip a bit, set a byte, remove, insert, swap or reverse a range, truncate, or append."""
    start = source.randrange(len(data))
    end = min(len(data), start + source.choice((1, 2, 7, 64, 1_000)))
    kind = source.randrange(8)
    changed = bytearray(data)
    if kind == 0:
        changed[start] ^= 1 << source.randrange(8)
    elif kind == 1:
        changed[start] = source.randrange(256)
    elif kind == 2:
        del changed[start:end]
    elif kind == 3:
        changed[start:start] = source.randbytes(end - start)
    elif kind == 4:
        changed[start:end] = changed[start:end][::-1]
    elif kind == 5:
        other = source.randrange(len(data))
        changed[start:end], changed[other : other + end - start] = (
            changed[other : other + end - start],
            changed[start:end],
        )
    elif kind == 6:
        del changed[start:]
    else:
        changed += source.randbytes(end - start)
    return bytes(changed)


def undetected(count: int, seed: int, check: Callable[[bytes], bool] = is_valid) -> tuple[int, int]:
    """The number of `count` changed files that the verifier reports as unaltered, and the number of tried changes."""
    source = random.Random(seed)
    missed = tried = 0
    while tried < count:
        changed = mutate(DATA, source)
        if changed == DATA:
            continue
        tried += 1
        missed += check(changed)
    return missed, tried


def test_unaltered_recording_is_valid_with_its_facts() -> None:
    verdict = verify(io.BytesIO(DATA), KEY.public)
    assert verdict.valid
    assert verdict.reason == "ok"
    assert verdict.size == len(DATA)
    assert verdict.state == "sealed"
    assert verdict.key_id == KEY.key_id


def test_three_thousand_random_mutations_are_all_detected() -> None:
    assert undetected(3_000, seed=6) == (0, 3_000)


def test_change_of_any_single_byte_is_detected() -> None:
    for place in range(len(DATA)):
        changed = bytearray(DATA)
        changed[place] ^= 0x80
        assert not is_valid(bytes(changed)), place


def test_offline_verifier_detects_what_the_fast_verifier_detects() -> None:
    def check(data: bytes) -> bool:
        try:
            offline_verifier.examine(io.BytesIO(data), KEY.public)
        except offline_verifier.NotProven:
            return False
        return True

    assert check(DATA)
    assert undetected(300, seed=7, check=check) == (0, 300)


def blocks_of(data: bytes) -> tuple[bytes, list[bytes], bytes]:
    """The head, the blocks and the rest of a file."""
    place = 12 + int.from_bytes(data[8:12], "big")
    head, blocks = data[:place], []
    while data[place : place + 4] == b"BLK1":
        length = BLOCK.size + int.from_bytes(data[place + 12 : place + 16], "big")
        blocks.append(data[place : place + length])
        place += length
    return head, blocks, data[place:]


def with_sequence(block: bytes, sequence: int) -> bytes:
    """A block with another number and a matching CRC, as a forger who knows the format would write it."""
    start = block[:4] + sequence.to_bytes(4, "big") + block[8:44]
    return start + zlib.crc32(block[48:], zlib.crc32(start)).to_bytes(4, "big") + block[48:]


def test_reordered_blocks_with_matching_numbers_and_crcs_are_detected() -> None:
    head, blocks, rest = blocks_of(DATA)
    assert len(blocks) == 3
    assert b"".join((head, *blocks, rest)) == DATA
    swapped = [blocks[0], with_sequence(blocks[2], 1), with_sequence(blocks[1], 2)]
    assert verify(io.BytesIO(b"".join((head, *swapped, rest))), KEY.public).reason == "bad_chain"


def test_dropped_last_block_with_a_matching_trailer_is_detected() -> None:
    head, blocks, rest = blocks_of(DATA)
    trailer = Trailer.decode(rest[-TRAILER.size :])
    shorter = trailer._replace(index_offset=trailer.index_offset - len(blocks[-1])).encode()
    changed = b"".join((head, *blocks[:-1], rest[: -TRAILER.size], shorter))
    assert verify(io.BytesIO(changed), KEY.public).reason == "bad_chain"


def test_changed_output_with_a_matching_crc_is_detected() -> None:
    head, blocks, rest = blocks_of(DATA)
    changed = bytearray(blocks[1])
    changed[60] ^= 1
    blocks[1] = with_sequence(bytes(changed), 1)
    assert verify(io.BytesIO(b"".join((head, *blocks, rest))), KEY.public).reason == "bad_chain"


def test_recording_sealed_with_another_key_is_not_valid(tmp_path: Path) -> None:
    verdict = verify(io.BytesIO(DATA), SealingKey(Ed25519PrivateKey.generate()).public)
    assert verdict.reason == "other_key"


def test_manifest_that_names_the_trusted_key_but_is_signed_by_another_is_detected(tmp_path: Path) -> None:
    manifest_place = MANIFEST.index_offset + MANIFEST.index_length
    manifest = DATA[manifest_place : manifest_place + MANIFEST.manifest_length]
    forged = Ed25519PrivateKey.generate().sign(b"postern recording manifest v1\0" + manifest)
    changed = DATA[: manifest_place + len(manifest)] + forged + DATA[TRAILER_PLACE:]
    assert verify(io.BytesIO(changed), KEY.public).reason == "bad_signature"


def test_recording_of_one_session_under_the_seal_of_another_is_detected(tmp_path: Path) -> None:
    path = tmp_path / "other.postern"
    write_recording(path, shell_steps(), cut_after=(11, 30), number=9)
    head, blocks, _ = blocks_of(DATA)
    _, _, rest = blocks_of(path.read_bytes())
    assert not is_valid(b"".join((head, *blocks, rest)))


def test_ed25519_of_the_offline_verifier_agrees_with_the_library() -> None:
    source = random.Random(25519)
    for _ in range(25):
        key = SealingKey(Ed25519PrivateKey.from_private_bytes(source.randbytes(32)))
        message = source.randbytes(source.randrange(200))
        signature = key.sign(message)
        assert offline_verifier.ed25519_verify(key.public, message, signature)
        damaged = bytearray(signature)
        damaged[source.randrange(64)] ^= 1 << source.randrange(8)
        assert not offline_verifier.ed25519_verify(key.public, message, bytes(damaged))
        assert not offline_verifier.ed25519_verify(key.public, message + b"!", signature)
        # S + L is another encoding of the same scalar. A signature must have only one valid encoding.
        scalar = int.from_bytes(signature[32:], "little") + offline_verifier.L
        again = signature[:32] + scalar.to_bytes(32, "little")
        assert not offline_verifier.ed25519_verify(key.public, message, again)
    assert not offline_verifier.ed25519_verify(KEY.public, b"", b"")
    assert not offline_verifier.ed25519_verify(b"\xff" * 32, b"", bytes(64))


def test_offline_verifier_runs_alone_and_reports_by_its_exit_status(tmp_path: Path) -> None:
    script = offline_verifier.__file__
    command = [sys.executable, "-I", "-S", script]
    key_file = tmp_path / "key.pub"
    key_file.write_text(KEY.public.hex() + "\n")
    good = subprocess.run([*command, FIXTURES / "shell.postern", key_file], capture_output=True, check=False)
    assert (good.returncode, good.stdout.split()[0]) == (0, b"UNALTERED")
    bad_file = tmp_path / "bad.postern"
    bad_file.write_bytes(DATA[:-1])
    bad = subprocess.run([*command, bad_file, KEY.public.hex()], capture_output=True, check=False)
    assert (bad.returncode, bad.stdout.split()[:2]) == (1, [b"NOT", b"PROVEN"])


def test_file_named_like_a_key_never_replaces_it(tmp_path: Path) -> None:
    other = SealingKey(Ed25519PrivateKey.from_private_bytes(bytes(32))).public.hex()
    (tmp_path / other).write_text(KEY.public.hex())
    command = [sys.executable, "-I", "-S", offline_verifier.__file__, FIXTURES / "shell.postern"]
    for key, status in ((other, 1), (KEY.public.hex(), 0)):
        done = subprocess.run([*command, key], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == status
    assert done.stdout.split()[-1].decode() == KEY.key_id


@pytest.mark.parametrize("text", ["", "00", "zz" * 32, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"])
def test_text_without_a_public_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_public_key(text)
