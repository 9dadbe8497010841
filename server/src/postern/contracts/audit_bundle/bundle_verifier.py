"""Verifies an evidence bundle of Postern with only the Python 3.11 standard library; imports nothing of Postern.

    python3 verify.py BUNDLE.tar --audit-key KEY … --recording-key KEY …

KEY: 64 hex digits, or the path of a .pub file. Exit status 0: proven; 1: not proven; 2: cannot be checked. The format is
described in docs/reference/audit-bundle.md. The keys must come from a source that you trust, never from whoever gave you
the bundle. Use a copy of this file from such a source, too.
"""

import argparse
import hashlib
import json
import os
import re
import struct
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

BUNDLE, CHECKPOINT = b"postern audit bundle v1\x00", b"postern audit checkpoint v1\x00"
RECORDING = b"postern recording manifest v1\x00"
MAX_MEMBERS, MAX_MANIFEST, MAX_LINE, MAX_PART = 300_000, 1 << 26, 1 << 24, 1 << 25
ID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
NAME = re.compile(
    r"verify\.py|README(\.zh)?\.md|manifest\.(json|sig)|keys/(audit|recording)/[0-9a-f]{16}\.pub"
    rf"|organizations/{ID}/(checkpoints|events|sessions)\.jsonl|recordings/{ID}\.postern"
)
ANCHORED, SEALED, STORED, PERMITTED = "session.anchored", "session.sealed", "recording.stored", "session.permitted"
GENESIS = "0" * 64
BLOCK, TRAILER = struct.Struct(">4sIBBHIIQQQI"), struct.Struct(">QIII8s")
Keys = dict[str, bytes]
Signed = tuple[bytes, bytes, bytes]  # public key, message, signature


class NotProven(Exception):
    """The bundle is not proven to be what was exported; the text says why."""


def need(fits: object, text: str) -> None:
    if not fits:
        raise NotProven(text)


def canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def parse(data: bytes, part: str) -> dict[str, Any]:
    """A JSON object in the only way of writing it: sorted, no name twice, no spaces."""
    value = json.loads(data)
    need(isinstance(value, dict) and canonical(value) == data, f"{part} is not canonical JSON")
    return dict(value)


def tar_header(name: str, size: int) -> bytes:
    """The only header that a member of this name and size may have."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info.tobuf(tarfile.GNU_FORMAT, "ascii", "strict")


# Ed25519 as in RFC 8032, many signatures in one equation. Verification involves no secret, so timing does not matter.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def decode_point(data: bytes) -> Point:
    y, sign = int.from_bytes(data, "little") & ((1 << 255) - 1), data[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if len(data) != 32 or y >= P or (x * x - square) % P or (x == 0 and sign):
        raise ValueError("a key or a signature is not a point of Ed25519")
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def add(left: Point, right: Point) -> Point:
    a, b = (left[1] - left[0]) * (right[1] - right[0]) % P, (left[1] + left[0]) * (right[1] + right[0]) % P
    c, d = 2 * left[3] * right[3] * D % P, 2 * left[2] * right[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply_all(pairs: list[tuple[int, Point]]) -> Point:
    """The sum of all scalar * point, with buckets for `width` bits of the scalars at once."""
    width = 1 if len(pairs) < 8 else 4 if len(pairs) < 64 else 8
    result = NEUTRAL
    for shift in range(256 - width, -1, -width):
        buckets: dict[int, Point] = {}
        for scalar, point in pairs:
            if digit := scalar >> shift & ((1 << width) - 1):
                buckets[digit] = add(buckets[digit], point) if digit in buckets else point
        running = total = NEUTRAL
        for digit in range(max(buckets, default=0), 0, -1):
            running = add(running, buckets[digit]) if digit in buckets else running
            total = add(total, running)
        for _ in range(width):
            result = add(result, result)
        result = add(result, total)
    return result


def ed25519_verify(signed: list[Signed]) -> bool:
    """Whether all signatures are valid: the sum of z(sB - R - hA) is zero for random z."""
    scalars: dict[bytes, int] = {}  # encoded point -> what it is multiplied with
    base = 0
    for key, message, signature in signed:
        s, z = int.from_bytes(signature[32:], "little"), int.from_bytes(os.urandom(16), "little") | 1
        h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little")
        if len(signature) != 64 or s >= L:
            return False
        base = (base + z * s) % L
        scalars[signature[:32]] = scalars.get(signature[:32], 0) + z
        scalars[key] = (scalars.get(key, 0) + z * h) % L
    try:
        points = [(scalar, decode_point(data)) for data, scalar in scalars.items()]
    except ValueError:
        return False
    generator = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    total = multiply_all([(base, generator), *((v, (P - p[0], p[1], 1, P - p[3])) for v, p in points)])
    for _ in range(3):  # leaves out the part of small order, which only the holder of a key could add
        total = add(total, total)
    return total[0] == 0 and total[1] == total[2]


class Bundle:
    """An archive and the trusted keys. Only `__init__` reads what is not proven to be signed: no more than headers."""

    def __init__(self, file: BinaryIO, audit_keys: Keys, recording_keys: Keys) -> None:
        self.file, self.audit_keys, self.recording_keys = file, audit_keys, recording_keys
        self.places: dict[str, tuple[int, int]] = {}
        self._find_members()
        need(list(self.places)[-2:] == ["manifest.json", "manifest.sig"], "there is no signed manifest at the end")
        need(self.places["manifest.json"][1] <= MAX_MANIFEST, "the manifest is too large")
        need(self.places["manifest.sig"][1] == 64, "the signature has another length")
        raw, signature = b"".join(self.pieces("manifest.json")), b"".join(self.pieces("manifest.sig"))
        is_signed = any(ed25519_verify([(key, BUNDLE + raw, signature)]) for key in audit_keys.values())
        need(is_signed, "the manifest was not signed with an audit key that you trust")
        self.manifest = parse(raw, "the manifest")
        need(self.manifest["version"] == 1, "the bundle has a version that is not known here")
        members = [[name, size] for name, (_, size) in self.places.items()][:-2]
        need([entry[:2] for entry in self.manifest["members"]] == members, "the members are not those of the manifest")
        self.hashes = {name: sha256 for name, _size, sha256 in self.manifest["members"]}

    def _find_members(self) -> None:
        """Every byte between the contents of the members has only one permitted value."""
        size, place = self.file.seek(0, 2), 0
        while (header := self._at(place, 512)) != bytes(512):
            need(len(header) == 512, "the archive is cut off")
            name, length = header[:100].rstrip(b"\0").decode("ascii"), tarfile.nti(header[124:136])  # type: ignore[attr-defined]
            need(NAME.fullmatch(name) and 0 <= length <= size, "a member has a name or size that no bundle has")
            need(header == tar_header(name, length), f"{name} has another header than a bundle gives it")
            need(name not in self.places, f"{name} is there twice")
            need(len(self.places) < MAX_MEMBERS, "the archive has too many members")
            self.places[name], padding = (place + 512, length), -length % 512
            need(self._at(place + 512 + length, padding) == bytes(padding), f"{name} is followed by other bytes")
            place += 512 + length + padding
        need(self._at(place, 1025) == bytes(1024), "the archive is cut off, or goes on after its end")

    def _at(self, place: int, length: int) -> bytes:
        self.file.seek(place)
        return self.file.read(length)

    def pieces(self, name: str) -> Iterator[bytes]:
        place, size = self.places[name]
        for start in range(0, size, 1 << 18):
            yield self._at(place + start, min(size - start, 1 << 18))

    def lines(self, name: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
        place, end = self.places[name][0], sum(self.places[name])
        while place < end:
            self.file.seek(place)
            line = self.file.readline(min(MAX_LINE, end - place))
            need(line.endswith(b"\n"), f"{name} has a line that is too long or does not end")
            place += len(line)
            yield line[:-1], parse(line[:-1], name)

    def examine(self) -> Iterator[str]:
        """What is proven, line by line. Raises NotProven; every other exception means the same."""
        yield f"manifest: {len(self.places)} members, signed with an audit key that you trust"
        recordings = {name for name in self.places if name.startswith("recordings/")}
        for name in self.hashes.keys() - recordings:
            digest = hashlib.sha256()
            for piece in self.pieces(name):
                digest.update(piece)
            need(digest.hexdigest() == self.hashes[name], f"{name} was altered")
        seals: list[Signed] = []
        missing = dict(self.manifest["missing"])
        for org in self.manifest["organizations"]:
            stated: dict[str, dict[str, Any]] = {kind: {} for kind in (ANCHORED, SEALED, STORED, PERMITTED)}
            yield f"organization {org['org_id']}: {self._events(org, stated)}"
            rows = self._sessions(org["org_id"], stated)
            yield f"organization {org['org_id']}: {len(rows)} sessions with {sum(rows.values())} rows"
            for key in rows:
                name = f"recordings/{key}.postern"
                need(name in recordings or key in missing or key not in stated[STORED], f"{name} is missing")
                if name in recordings:
                    seals.append(self._recording(key, stated[STORED].get(key, {})))
                    yield f"recording of session {key}: sealed, and stored as SHA-256 {self.hashes[name]}"
                    recordings.remove(name)
            if absent := len(stated[PERMITTED].keys() - rows.keys()):
                yield f"NOTE: the events name {absent} sessions whose rows are not in the bundle"
        need(not recordings, "a recording belongs to no session")
        need(ed25519_verify(seals), "the seal of a recording has a wrong signature")
        yield from (f"MISSING: recording of session {key!a}: {reason!a}" for key, reason in missing.items())
        yield from (f"FAULT that the export found: {fault!a}" for fault in self.manifest["faults"])

    def _checkpoints(self, org_id: str) -> dict[int, tuple[str, str, str]]:
        """Position -> link of the public chain, MAC digest, time."""
        name, signed = f"organizations/{org_id}/checkpoints.jsonl", []
        marks: dict[int, tuple[str, str, str]] = {}
        for _, it in self.lines(name):
            signature = bytes.fromhex(it.pop("signature"))
            need(it["org_id"] == org_id, f"{name} is of another organization")
            need(it["key_id"] in self.audit_keys, f"{name} needs the audit key {it['key_id']!a}")
            need(it["sequence"] > next(reversed(marks), 0), f"{name} is out of order")
            marks[it["sequence"]] = (it["chain"], it["digest"], it["at"])
            signed.append((self.audit_keys[it["key_id"]], CHECKPOINT + canonical(it), signature))
        need(ed25519_verify(signed), f"{name} has a wrong signature")
        return marks

    def _events(self, org: dict[str, Any], stated: dict[str, dict[str, Any]]) -> str:
        """Every event from checkpoint to checkpoint is there: none is missing, inserted, moved or altered."""
        org_id, place, name = org["org_id"], org["first"], f"organizations/{org['org_id']}/events.jsonl"
        marks = self._checkpoints(org_id)
        is_framed = org["last"] in marks and (place == 0 or min(marks) == place) and max(marks) == org["last"]
        need(is_framed, f"{name} does not begin and end at signed checkpoints")
        chain, previous, _ = marks.get(place, (GENESIS, GENESIS, ""))
        for line, event in self.lines(name):
            is_next = (event["org_id"], event["sequence"], event["previous"]) == (org_id, place + 1, previous)
            need(is_next, f"{name}: what follows #{place} is not the next event")
            chain = hashlib.sha256(bytes.fromhex(chain) + hashlib.sha256(line).digest()).hexdigest()
            place, previous = place + 1, event["digest"]
            need(
                marks.get(place, (chain, previous))[:2] == (chain, previous),
                f"{name} is not what was signed at #{place}",
            )
            if event["event"] in stated:
                stated[event["event"]][event["resource_id"]] = event["new"]
        need(place == org["last"], f"{name} ends before its last checkpoint")
        return f"events {org['first'] + 1} to {place}, {len(marks)} signed checkpoints, the last of {marks[place][2]!a}"

    def _sessions(self, org_id: str, stated: dict[str, dict[str, Any]]) -> dict[str, int]:
        """The number of rows of each session. The rows have no gap; number and head are those in the events."""
        rows: dict[str, int] = {}
        key, number, anchor = "", 0, {"rows": 0, "head": ""}
        for _, line in self.lines(f"organizations/{org_id}/sessions.jsonl"):
            values = line["values"]
            if line["table"] == "session":
                need(number == rows.get(key, 0), f"session {key!a} has missing rows")
                key, number = values["id"], 0
                need(values["org_id"] == org_id and key not in rows, f"session {key!a} is foreign, or there twice")
                rows[key], anchor = line["rows"], stated[ANCHORED].get(key, {"rows": 0, "head": ""})
                is_whole = stated[SEALED].get(key, line)["rows"] == rows[key] >= anchor["rows"]
                need(is_whole, f"session {key!a} has another number of rows than the log says")
            else:
                number += 1
                is_next = (values["session_id"], line["number"]) == (key, number)
                is_stated = number != anchor["rows"] or line["proof"] == anchor["head"]
                need(is_next and is_stated, f"row {number} of session {key!a} is not the one in the log")
        need(number == rows.get(key, 0), f"session {key!a} has missing rows")
        return rows

    def _recording(self, session_id: str, stored: dict[str, Any]) -> Signed:
        """The seal, whose signature is still to be verified. It covers the bytes, which are those that the log names."""
        name, whole = f"recordings/{session_id}.postern", hashlib.sha256()
        (start, size), end = self.places[name], sum(self.places[name])

        def take(length: int) -> bytes:
            need(0 <= length <= min(MAX_PART, end - self.file.tell()), f"{name} is cut off, or has impossible lengths")
            whole.update(data := self.file.read(length))
            return data

        index_at, index_size, manifest_size, _, mark = TRAILER.unpack(self._at(end - TRAILER.size, TRAILER.size))
        is_filled = index_at + index_size + manifest_size + 64 + TRAILER.size == size and mark == b"PSTNEND\x01"
        need(is_filled, f"{name} is not a sealed recording")
        self.file.seek(start)
        begin = take(12)
        header = take(int.from_bytes(begin[8:], "big"))
        chain, blocks = hashlib.sha256(begin + header).digest(), 0
        while self.file.tell() < start + index_at:
            head = take(BLOCK.size)
            need(BLOCK.unpack(head)[:2] == (b"BLK1", blocks), f"{name} has a block out of order")
            chain = hashlib.sha256(chain + head + hashlib.sha256(take(BLOCK.unpack(head)[5])).digest()).digest()
            blocks += 1
        index, manifest, signature, _ = take(index_size), take(manifest_size), take(64), take(TRAILER.size)
        found = [whole.hexdigest(), size, chain.hex()]
        need([stored.get(field) for field in ("sha256", "size", "chain")] == found, f"{name} is not what the log names")
        need(self.hashes[name] == found[0], f"{name} was altered")
        sealed, ids = json.loads(manifest), (json.loads(manifest)["session_id"], json.loads(header)["session_id"])
        parts = (sealed["chain"], sealed["blocks"], sealed["index_sha256"])
        need(parts == (found[2], blocks, hashlib.sha256(index).hexdigest()), f"{name} is not what was sealed")
        need(ids == (session_id, session_id) and sealed["version"] == 1, f"{name} is of another session or version")
        need(sealed["key_id"] in self.recording_keys, f"{name} needs the recording key {sealed['key_id']!a}")
        return self.recording_keys[sealed["key_id"]], RECORDING + manifest, signature


def trusted(texts: list[str]) -> Keys:
    """The keys by their ids. Raises OSError, ValueError, IndexError."""
    keys = [bytes.fromhex((Path(it).read_text() if Path(it).is_file() else it).strip()) for it in texts]
    need(all(map(decode_point, keys)), "")  # raises ValueError for what is no key
    return {hashlib.sha256(key).hexdigest()[:16]: key for key in keys}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Verifies an evidence bundle of Postern.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--audit-key", nargs="+", action="extend", required=True, metavar="KEY")
    parser.add_argument("--recording-key", nargs="+", action="extend", default=[], metavar="KEY")
    options = parser.parse_args(arguments)
    try:
        keys, file = (trusted(options.audit_key), trusted(options.recording_key)), options.bundle.open("rb")
    except (OSError, ValueError, IndexError) as error:
        parser.error(f"cannot check: {error!a}")
    with file:
        try:
            for text in Bundle(file, *keys).examine():
                sys.stdout.write(f"{text}\n")
        except Exception as error:  # noqa: BLE001 - whatever a hostile bundle provokes: it is not proven
            reason = str(error) if isinstance(error, NotProven) else f"the bundle is damaged: {error!a:.200}"
            sys.stdout.write(f"NOT PROVEN: {reason}\n")
            return 1
    sys.stdout.write("PROVEN\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
