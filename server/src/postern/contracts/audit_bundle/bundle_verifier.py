"""Verifies an audit bundle of Postern with only the Python 3.11 standard library; imports nothing of Postern.

    python3 -I verify.py BUNDLE.tar --audit-key KEY … --recording-key KEY …

-I: no file beside this one runs. KEY: 64 hex digits, or the path of a .pub file; from a source that you trust, as this
file, never from whoever gave you the bundle. Exit status 0: proven; 1: not proven; 2: cannot be checked; 3: proven, but
the installation was not intact. The format is described in docs/reference/audit-bundle.md.
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
RECORDING, GENESIS = b"postern recording manifest v1\x00", "0" * 64
MAX_MEMBERS, MAX_MANIFEST, MAX_LINE, MAX_PART = 300_000, 1 << 26, 1 << 24, 1 << 25
NAME = re.compile(
    r"verify\.py|README(\.zh)?\.md|manifest\.(json|sig)|keys/(audit|recording)/[0-9a-f]{16}\.pub"
    r"|organizations/[0-9a-f-]{36}/(checkpoints|events|sessions)\.jsonl|recordings/[0-9a-f-]{36}\.postern"
)
ANCHORED, SEALED, STORED, PERMITTED = "session.anchored", "session.sealed", "recording.stored", "session.permitted"
FORGOTTEN, RAN = "session.forgotten", "ran"
BLOCK, TRAILER, MARK = struct.Struct(">4sIBBHIIQQQI"), struct.Struct(">QIII8s"), b"PSTNEND\x01"


class NotProven(Exception):
    """The text says why."""


def need(fits: object, text: str) -> None:
    if not fits:
        raise NotProven(text)


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


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
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, BASE = -121665 * pow(121666, P - 2, P) % P, (4 * pow(5, P - 2, P) % P).to_bytes(32, "little")
Point = tuple[int, int, int, int]


def decode_point(data: bytes) -> Point:
    sign, y = divmod(int.from_bytes(data, "little"), 1 << 255)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x * pow(2, (P - 1) // 4, P) % P if (x * x - square) % P else x
    if len(data) != 32 or y >= P or (x * x - square) % P or (x == 0 and sign):
        raise ValueError("a key or a signature is not a point of Ed25519")
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def add(left: Point, right: Point) -> Point:
    a, b = (left[1] - left[0]) * (right[1] - right[0]) % P, (left[1] + left[0]) * (right[1] + right[0]) % P
    c, d = 2 * left[3] * right[3] * D % P, 2 * left[2] * right[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def ed25519_verify(signed: list[tuple[bytes, bytes, bytes]]) -> bool:
    """Whether all signatures are valid: the sum of z(R + hA - sB) is zero for random z."""
    scalars, base = dict.fromkeys((key for key, _, _ in signed), 0), 0  # encoded point -> what it is multiplied with
    for key, message, signature in signed:
        s, z = int.from_bytes(signature[32:], "little"), int.from_bytes(os.urandom(16), "little") | 1
        h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little")
        if len(signature) != 64 or s >= L:
            return False
        base = (base + z * s) % L
        scalars[signature[:32]] = scalars.get(signature[:32], 0) + z
        scalars[key] = (scalars[key] + z * h) % L
    scalars[BASE] = scalars.get(BASE, 0) + L - base
    total: Point = (0, 1, 1, 0)
    try:
        points = [(scalar, decode_point(data)) for data, scalar in scalars.items()]
    except ValueError:
        return False
    for bit in range(255, -4, -1):  # three doublings more leave out the part of small order
        total = add(total, total)
        for scalar, point in points if bit >= 0 else ():
            total = add(total, point) if scalar >> bit & 1 else total
    return total[0] == 0 and total[1] == total[2]


class Bundle:
    """An archive and the trusted keys. Of what is not proven to be signed, only headers are read, in `__init__`."""

    def __init__(self, file: BinaryIO, audit_keys: dict[str, bytes], recording_keys: dict[str, bytes]) -> None:
        self.file, self.audit_keys, self.recording_keys, self.faults = file, audit_keys, recording_keys, list[str]()
        self.places = dict(self._members(file.seek(0, 2)))  # name -> place and size
        need(list(self.places)[-2:] == ["manifest.json", "manifest.sig"], "there is no signed manifest at the end")
        ends = list(self.places.values())[-2:]  # what is longer than permitted is cut off, so its signature is wrong
        raw, signature = (self._at(place, min(size, MAX_MANIFEST + 1)) for place, size in ends)
        ids = [name for name, key in audit_keys.items() if ed25519_verify([(key, BUNDLE + raw, signature)])]
        need(ids, "the manifest was not signed with an audit key that you trust")
        self.manifest, self.key_id = parse(raw, "the manifest"), ids[0]
        need(self.manifest["version"] == 1, "the bundle has a version that is not known here")
        members = [[name, size] for name, (_, size) in self.places.items()][:-2]
        need([entry[:2] for entry in self.manifest["members"]] == members, "the members are not those of the manifest")
        self.hashes = {name: sha256 for name, _size, sha256 in self.manifest["members"]}

    def _members(self, size: int) -> Iterator[tuple[str, tuple[int, int]]]:
        """Every byte between the contents of the members has only one permitted value."""
        place, names = 0, {""}
        while (header := self._at(place, 512)) != bytes(512):
            need(len(header) == 512 and len(names) < MAX_MEMBERS, "the archive is cut off, or has too many members")
            length = int.from_bytes(header[125:136], "big") if header[124] > 127 else int(header[124:135], 8)
            name, padding = header[:100].rstrip(b"\0").decode("ascii"), -length % 512
            need(NAME.fullmatch(name) and 0 <= length <= size, "a member has a name or size that no bundle has")
            need(name not in names and header == tar_header(name, length), f"{name} is there twice, or unusual")
            need(self._at(place + 512 + length, padding) == bytes(padding), f"{name} is followed by other bytes")
            names.add(name)
            yield name, (place + 512, length)
            place += 512 + length + padding
        need(self._at(place, 1025) == bytes(1024), "the archive is cut off, or goes on after its end")

    def _at(self, place: int, length: int) -> bytes:
        self.file.seek(place)
        return self.file.read(length)

    def lines(self, name: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
        place, end = self.places[name][0], sum(self.places[name])
        while place < end:
            self.file.seek(place)
            line = self.file.readline(min(MAX_LINE, end - place))
            need(line.endswith(b"\n"), f"{name} has a line that is too long or does not end")
            place += len(line)
            yield line[:-1], parse(line[:-1], name)

    def examine(self) -> Iterator[str]:
        """What is proven, line by line, and every FAULT in what is proven. All exceptions mean: not proven."""
        yield f"manifest: {len(self.places)} members, signed with the audit key {self.key_id}, which you trust"
        orgs, missing = self.manifest["organizations"], dict(self.manifest["missing"])
        for name, (place, size) in list(self.places.items())[:-2]:
            digest = hashlib.sha256()
            for start in range(0, size, 1 << 18):
                digest.update(self._at(place + start, min(size - start, 1 << 18)))
            need(digest.hexdigest() == self.hashes[name], f"{name} was altered")
        folders = {name.split("/")[1] for name in self.hashes if name.startswith("organizations/")}
        need(folders == {org["org_id"] for org in orgs}, "the manifest names other organizations")
        recordings = {name for name in self.hashes if name.startswith("recordings/")}
        for org in orgs:
            stated = {kind: dict[str, Any]() for kind in (ANCHORED, SEALED, STORED, PERMITTED, FORGOTTEN, RAN)}
            events, rows = self._events(org, stated), self._sessions(org["org_id"], stated)
            yield f"organization {org['org_id']}: {events}; {len(rows)} sessions with {sum(rows.values())} rows"
            gone = stated[RAN].keys() - rows.keys() - stated[FORGOTTEN].keys() - missing.keys()
            self._judge(not gone, f"no event says why these sessions are missing: {sorted(gone)!a}")
            yield from self._recordings([key for key in rows if key not in missing], stated[STORED])
            recordings -= {f"recordings/{key}.postern" for key in rows}
        need(not recordings, "a recording belongs to no session")
        yield from (f"MISSING: recording of session {key!a}: {reason!a}" for key, reason in missing.items())
        yield from (f"FAULT: {fault}" for fault in [*map(ascii, self.manifest["faults"]), *self.faults])

    def _judge(self, fits: object, text: str) -> None:
        self.faults += [] if fits else [text]

    def _events(self, org: dict[str, Any], stated: dict[str, dict[str, Any]]) -> str:
        """Every event from checkpoint to checkpoint is there: none is missing, inserted, moved or altered."""
        org_id, place, folder = org["org_id"], org["first"], f"organizations/{org['org_id']}/"
        at, signed, chosen = "", [], set(self.manifest["chosen_sessions"])
        begin, end = self.manifest["from"], self.manifest["to"]  # in the form of the events, so that texts compare
        marks: dict[int, tuple[str, str]] = {}  # position -> public chain and MAC digest
        for _, it in self.lines(folder + "checkpoints.jsonl"):
            signature = bytes.fromhex(text := it.pop("signature"))
            need(it["key_id"] in self.audit_keys, f"a checkpoint needs the audit key {it['key_id']!a}")
            is_next = it["org_id"] == org_id and it["sequence"] > next(reversed(marks), 0)
            need(is_next and signature.hex() == text, f"a checkpoint of {org_id} is out of order, or unusual")
            marks[it["sequence"]], at = (it["chain"], it["digest"]), it["at"]
            signed.append((self.audit_keys[it["key_id"]], CHECKPOINT + canonical(it), signature))
        need(ed25519_verify(signed), f"a checkpoint of {org_id} has a wrong signature")
        need(max(marks) == org["last"] and place in (0, min(marks)), f"{org_id} is not framed by signed checkpoints")
        chain, previous = marks.get(place, (GENESIS, GENESIS))
        for line, event in self.lines(folder + "events.jsonl"):
            is_next = (event["org_id"], event["sequence"], event["previous"]) == (org_id, place + 1, previous)
            need(is_next, f"what follows #{place} is not the next event of {org_id}")
            chain = hashlib.sha256(bytes.fromhex(chain) + hashlib.sha256(line).digest()).hexdigest()
            place, previous, kind, key = place + 1, event["digest"], event["event"], event["resource_id"]
            need(marks.get(place, (chain, previous)) == (chain, previous), f"{org_id} was signed otherwise at #{place}")
            if kind in stated:
                stated[kind][key] = event["new"]
            is_wanted = key in chosen if chosen else begin <= event["datetime"] < end
            stated[RAN] |= {key: None} if is_wanted and kind in (PERMITTED, ANCHORED, SEALED) else {}
        need(place == org["last"], f"the events of {org_id} end before the last checkpoint")
        return f"events {org['first'] + 1} to {place}, {len(marks)} signed checkpoints, the last of {at!a}"

    def _sessions(self, org_id: str, stated: dict[str, dict[str, Any]]) -> dict[str, int]:
        """The number of rows of each session. They should have no gap, and number and head should be those in the log."""
        rows: dict[str, int] = {}
        key, number, anchor = "", 0, {"rows": 0, "head": ""}
        for _, line in self.lines(f"organizations/{org_id}/sessions.jsonl"):
            values = line["values"]
            if line["table"] == "session":
                self._judge(number == rows.get(key, 0), f"session {key!a} has missing rows")
                key, number = values["id"], 0
                need(values["org_id"] == org_id and key not in rows, f"session {key!a} is foreign, or there twice")
                rows[key], anchor = line["rows"], stated[ANCHORED].get(key, {"rows": 0, "head": ""})
                is_whole = stated[SEALED].get(key, line)["rows"] == rows[key] >= anchor["rows"]
                self._judge(is_whole, f"session {key!a} has another number of rows than the log says")
            else:
                number += 1
                is_row = (values["session_id"], line["number"]) == (key, number)
                is_row = is_row and (number != anchor["rows"] or line["proof"] == anchor["head"])
                self._judge(is_row, f"row {number} of session {key!a} is not the one in the log")
        self._judge(number == rows.get(key, 0), f"session {key!a} has missing rows")
        return rows

    def _recordings(self, keys: list[str], stored: dict[str, Any]) -> Iterator[str]:
        seals: dict[str, tuple[str, bytes, bytes]] = {}
        for name, key in ((f"recordings/{key}.postern", key) for key in keys):
            self._judge(name in self.places or key not in stored, f"{name} is missing")
            try:
                seals |= {name: self._seal(name, key, stored[key])} if name in self.places else {}
            except Exception as error:  # noqa: BLE001 - whatever a damaged recording provokes
                self.faults.append(f"{name} is damaged: {error!a:.200}")
        ids = {key_id for key_id, *_ in seals.values()} - self.recording_keys.keys()
        need(not ids, f"a recording needs the recording key {ids!a}")
        signed = {name: (self.recording_keys[seal[0]], *seal[1:]) for name, seal in seals.items()}
        are_signed = ed25519_verify([*signed.values()])
        for name, one in signed.items():
            self._judge(is_signed := are_signed or ed25519_verify([one]), f"{name} has a seal with a wrong signature")
            yield f"{name}: {'sealed, and ' if is_signed else ''}stored as SHA-256 {self.hashes[name]}"

    def _seal(self, name: str, session_id: str, stored: dict[str, Any]) -> tuple[str, bytes, bytes]:
        """Key, message and signature of the seal, still to be verified. The bytes are those that the log names."""
        (start, size), end = self.places[name], sum(self.places[name])

        def take(length: int) -> bytes:
            need(0 <= length <= min(MAX_PART, end - self.file.tell()), "it is cut off, or has impossible lengths")
            return self.file.read(length)

        need([self.hashes[name], size] == [stored["sha256"], stored["size"]], "it is not the one in the log")
        index_at, index_size, manifest_size, _, mark = TRAILER.unpack(self._at(end - TRAILER.size, TRAILER.size))
        need(index_at + index_size + manifest_size + 64 + TRAILER.size == size and mark == MARK, "it is not sealed")
        self.file.seek(start)
        chain, blocks = hashlib.sha256((begin := take(12)) + take(int.from_bytes(begin[8:], "big"))).digest(), 0
        while self.file.tell() < start + index_at:
            head = take(BLOCK.size)
            chain = hashlib.sha256(chain + head + hashlib.sha256(take(BLOCK.unpack(head)[5])).digest()).digest()
            blocks += 1
        index, manifest, signature = take(index_size), take(manifest_size), take(64)
        sealed, fields = json.loads(manifest), ("version", "session_id", "chain", "blocks", "index_sha256")
        own = [1, session_id, chain.hex(), blocks, hashlib.sha256(index).hexdigest()]
        need(own == [sealed[field] for field in fields] and own[2] == stored["chain"], "it is not what was sealed")
        return str(sealed["key_id"]), RECORDING + manifest, signature


def trusted(text: str) -> tuple[str, bytes]:
    """A key and its id. 64 hex digits are the key, whatever files are there. Raises ValueError."""
    try:
        key = bytes.fromhex(text if re.fullmatch("[0-9a-fA-F]{64}", text) else Path(text).read_text("ascii").strip())
    except OSError as error:
        raise ValueError(error) from error
    decode_point(key)
    return hashlib.sha256(key).hexdigest()[:16], key


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Verifies an audit bundle of Postern.")
    parser.add_argument("bundle", type=argparse.FileType("rb"))
    parser.add_argument("--audit-key", type=trusted, nargs="+", action="extend", required=True, metavar="KEY")
    parser.add_argument("--recording-key", type=trusted, nargs="+", action="extend", default=[], metavar="KEY")
    options = parser.parse_args(arguments)
    try:
        bundle = Bundle(options.bundle, dict(options.audit_key), dict(options.recording_key))
        texts = [*bundle.examine()]
        faults = sum(text.startswith("FAULT") for text in texts)
        texts.append(f"PROVEN to be what was exported, WITH {faults} FAULTS" if faults else "PROVEN")
    except Exception as error:  # noqa: BLE001 - whatever a hostile bundle provokes: it is not proven
        texts = ["NOT PROVEN: " + (str(error) if isinstance(error, NotProven) else f"damaged: {error!a:.200}")]
    sys.stdout.write("\n".join(texts) + "\n")
    return 0 if texts[-1] == "PROVEN" else 3 if texts[-1].startswith("PROVEN") else 1


if __name__ == "__main__":
    sys.exit(main())
