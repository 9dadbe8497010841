"""Verifies a Postern recording with only the Python 3.11 standard library. A single file that imports nothing of
Postern.

    python3 -I offline_verifier.py FILE PUBLIC_KEY     (64 hex digits, base64, or the path of a PEM or .pub file)

Exit status 0: the file is byte for byte what was sealed with that key. 1: it is not, or that cannot be proven. The
layout is described in docs/reference/recording-format.md. The key must come from a source that you trust, never from
whoever gave you the file.
"""

import base64
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

MAX_JSON = 65_536
MAX_BLOCK = 8 * 1024 * 1024
MAX_INDEX = 32 * 1024 * 1024
BLOCK = struct.Struct(">4sIBBHIIQQQI")
TRAILER = struct.Struct(">QIII8s")
CONTEXT = b"postern recording manifest v1\x00"


class NotProven(Exception):
    """The file is not proven to be unaltered. `reason` is a stable slug; the text gives details."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Proven(NamedTuple):
    """Details of a verified file."""

    size: int
    sha256: str
    header: dict[str, Any]
    manifest: dict[str, Any]
    blocks: int


class _Reader:
    """Reads the file once from start to end and hashes everything."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.position = 0
        self.whole = hashlib.sha256()

    def take(self, length: int, part: str) -> bytes:
        data = self.file.read(length)
        if len(data) != length:
            raise NotProven("cut_off", f"the file ends inside the {part}")
        self.position += length
        self.whole.update(data)
        return data


def examine(
    file: BinaryIO,
    public_key: bytes,
    check_signature: "Callable[[bytes, bytes, bytes], bool] | None" = None,
) -> Proven:
    """Check a seekable file against the trusted key (32 bytes). Raises `NotProven`.

    `check_signature(public_key, message, signature)` can replace the Ed25519 implementation below by a faster implementation.
    """
    size = file.seek(0, 2)
    if size < 12 + 64 + TRAILER.size:
        raise NotProven("cut_off", "the file is too short for a recording")
    file.seek(size - TRAILER.size)
    index_offset, index_length, manifest_length, signature_length, end_mark = TRAILER.unpack(file.read(TRAILER.size))
    if end_mark != b"PSTNEND\x01":
        raise NotProven("not_sealed", "the end mark is missing: not sealed, cut off, or something was added")
    if signature_length != 64 or manifest_length > MAX_JSON or index_length > MAX_INDEX:
        raise NotProven("bad_layout", "impossible lengths in the trailer")
    if index_offset + index_length + manifest_length + signature_length + TRAILER.size != size:
        raise NotProven("bad_layout", "the parts at the end do not fill the file exactly")

    file.seek(0)
    reader = _Reader(file)
    header, chain = _read_header(reader)
    chain, rows = _read_blocks(reader, index_offset, chain)
    index = reader.take(index_length, "index")
    manifest_bytes = reader.take(manifest_length, "manifest")
    signature = reader.take(64, "signature")
    reader.take(TRAILER.size, "trailer")

    manifest = _parse(manifest_bytes, "manifest")
    if manifest.get("key_id") != hashlib.sha256(public_key).hexdigest()[:16]:
        raise NotProven("other_key", "the recording was sealed with another key than the trusted one")
    verify = check_signature or ed25519_verify
    if not verify(public_key, CONTEXT + manifest_bytes, signature):
        raise NotProven("bad_signature", "the signature does not fit the manifest and the trusted key")
    _compare(manifest, header, chain, rows, index)
    return Proven(size, reader.whole.hexdigest(), header, manifest, len(rows))


def _read_header(reader: _Reader) -> tuple[dict[str, Any], bytes]:
    start = reader.take(12, "header")
    length = int.from_bytes(start[8:], "big")
    if start[:8] != b"POSTERN\x01" or length > MAX_JSON:
        raise NotProven("bad_layout", "not a recording, or a version that is not known here")
    encoded = reader.take(length, "header")
    return _parse(encoded, "header"), hashlib.sha256(start + encoded).digest()


def _read_blocks(reader: _Reader, end: int, chain: bytes) -> tuple[bytes, list[tuple[int, int, int, int]]]:
    """The end of the chain and, for each block, length, first ms, output offset and flags."""
    rows: list[tuple[int, int, int, int]] = []
    while reader.position < end:
        header = reader.take(BLOCK.size, "block header")
        mark, sequence, codec, flags, zero, packed_length, raw_length, first_ms, offset, _, crc = BLOCK.unpack(header)
        if mark != b"BLK1" or zero or codec > 1 or packed_length > MAX_BLOCK or raw_length > MAX_BLOCK:
            raise NotProven("bad_layout", f"block {len(rows)} has an impossible header")
        if sequence != len(rows):
            raise NotProven("bad_order", f"block {len(rows)} carries the number {sequence}")
        packed = reader.take(packed_length, "block")
        if zlib.crc32(packed, zlib.crc32(header[:-4])) != crc:
            raise NotProven("damaged", f"block {sequence} is damaged")
        chain = hashlib.sha256(chain + header + hashlib.sha256(packed).digest()).digest()
        rows.append((BLOCK.size + packed_length, first_ms, offset, flags))
    if reader.position != end:
        raise NotProven("bad_layout", "the blocks do not end where the index begins")
    return chain, rows


def _compare(
    manifest: dict[str, Any], header: dict[str, Any], chain: bytes, rows: list[tuple[int, int, int, int]], index: bytes
) -> None:
    """Check that the signed manifest describes exactly these bytes."""
    if manifest.get("version") != 1 or manifest.get("state") not in ("sealed", "incomplete"):
        raise NotProven("bad_layout", "the manifest has an unknown version or state")
    if manifest.get("chain") != chain.hex() or manifest.get("blocks") != len(rows):
        raise NotProven("bad_chain", "header or blocks are not those that were sealed")
    if manifest.get("index_sha256") != hashlib.sha256(index).hexdigest():
        raise NotProven("bad_index", "the index is not the one that was sealed")
    if manifest.get("session_id") != header.get("session_id"):
        raise NotProven("bad_layout", "header and manifest speak of different sessions")
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        columns = _parse(inflater.decompress(index, MAX_INDEX), "index")
    except zlib.error:
        raise NotProven("bad_index", "the index cannot be unpacked") from None
    total = manifest.get("output_bytes")
    if not isinstance(total, int) or (rows and rows[0][2] != 0):
        raise NotProven("gap", "the count of output bytes does not begin at zero")
    ends = [row[2] for row in rows[1:]] + [total]
    expected = {
        "length": [row[0] for row in rows],
        "first_ms": [row[1] for row in rows],
        "output_bytes": [end - row[2] for row, end in zip(rows, ends, strict=False)],
        "flags": [row[3] for row in rows],
    }
    if not inflater.eof or inflater.unused_data or any(columns.get(name) != rows_ for name, rows_ in expected.items()):
        raise NotProven("bad_index", "the index does not describe the blocks")
    if any(count < 0 for count in expected["output_bytes"]):
        raise NotProven("gap", "the count of output bytes goes backwards")


def _parse(data: bytes, part: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise NotProven("bad_layout", f"the {part} is not JSON") from None
    if not isinstance(value, dict):
        raise NotProven("bad_layout", f"the {part} is not an object")
    return value


# Ed25519 as in RFC 8032, 5.1.7. Verification involves no secret, so timing does not matter.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)
Point = tuple[int, int, int, int]


def _recover_x(y: int, sign: int) -> int | None:
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else 0
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * SQRT_M1 % P
    if (x * x - square) % P:
        return None
    return P - x if x & 1 != sign else x


def _decode_point(data: bytes) -> Point | None:
    number = int.from_bytes(data, "little")
    y = number & ((1 << 255) - 1)
    if y >= P:  # a second encoding of the same point
        return None
    x = _recover_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % P)


def _encode_point(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _add(left: Point, right: Point) -> Point:
    a = (left[1] - left[0]) * (right[1] - right[0]) % P
    b = (left[1] + left[0]) * (right[1] + right[0]) % P
    c = 2 * left[3] * right[3] * D % P
    d = 2 * left[2] * right[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiply(scalar: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def ed25519_verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) is valid for `message` under `public_key` (32 bytes)."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key = _decode_point(public_key)
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or scalar >= L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % L
    base_y = 4 * pow(5, P - 2, P) % P
    base_x = _recover_x(base_y, 0) or 0
    minus_key: Point = (P - key[0], key[1], 1, P - key[3])
    point = _add(_multiply(scalar, (base_x, base_y, 1, base_x * base_y % P)), _multiply(challenge, minus_key))
    return _encode_point(point) == signature[:32]


def parse_public_key(text: str) -> bytes:
    """32 bytes from 64 hex digits, base64, or PEM (SubjectPublicKeyInfo). Raises ValueError."""
    text = text.strip()
    if text.startswith("-----BEGIN PUBLIC KEY-----"):
        body = text.removeprefix("-----BEGIN PUBLIC KEY-----").removesuffix("-----END PUBLIC KEY-----")
        der = base64.b64decode("".join(body.split()), validate=True)
        if len(der) != 44 or not der.startswith(bytes.fromhex("302a300506032b6570032100")):
            raise ValueError("the PEM does not hold an Ed25519 public key")
        return der[12:]
    key = bytes.fromhex(text) if len(text) == 64 else base64.b64decode(text, validate=True)
    if len(key) != 32:
        raise ValueError("an Ed25519 public key has 32 bytes")
    return key


def read_public_key(text: str) -> bytes:
    """The key that a text is, or else that the file of this path holds: a file named like a key never replaces it.

    Raises OSError, ValueError.
    """
    is_path = not is_public_key(text) and Path(text).is_file()
    return parse_public_key(Path(text).read_text("ascii") if is_path else text)


def is_public_key(text: str) -> bool:
    """Whether a text is a key itself."""
    try:
        return bool(parse_public_key(text))
    except ValueError:
        return False


def key_id(public_key: bytes) -> str:
    """The id of a key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:16]


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        sys.stderr.write("usage: offline_verifier.py FILE PUBLIC_KEY\n")
        return 2
    path, key_text = arguments
    try:
        key = read_public_key(key_text)
        with Path(path).open("rb") as file:
            proven = examine(file, key)
    except NotProven as answer:
        sys.stdout.write(f"NOT PROVEN {answer.reason}: {answer}\n")
        return 1
    except (OSError, ValueError) as error:
        sys.stdout.write(f"NOT PROVEN cannot_check: {error}\n")
        return 1
    manifest = proven.manifest
    sys.stdout.write(
        f"UNALTERED session {manifest['session_id']} state {manifest['state']} blocks {proven.blocks}"
        f" output {manifest['output_bytes']} bytes sha256 {proven.sha256} key {key_id(key)}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
