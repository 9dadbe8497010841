"""Hostile files (K72: uploads are read under limits). They are made here, so that the repository needs no
binary files.
"""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

import openpyxl

HEADER = ("hostname", "ip", "platform")


def workbook(*rows: tuple[object, ...]) -> bytes:
    """A valid xlsx file, made by openpyxl."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def changed(data: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """The archive with one member changed, or added when it is missing."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            content = old.read(part)
            new.writestr(part.filename, change(content) if part.filename == name else content)
        if name not in old.namelist():
            new.writestr(name, change(b""))
    return file.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
HONEST = workbook(HEADER, ("web-1", "203.0.113.1", "Linux"))


def zip_bomb() -> bytes:
    """A file of 300 KB whose sheet unpacks to 300 MB of spaces."""
    return changed(HONEST, SHEET, lambda sheet: sheet.replace(b"</sheetData>", b"</sheetData>" + b" " * (300 << 20)))


def lying_bomb() -> bytes:
    """A zip bomb whose directory claims a few KB, so that only unpacking reveals its size."""
    data = bytearray(zip_bomb())
    for signature, size_at, name_at in ((b"PK\x01\x02", 24, 46), (b"PK\x03\x04", 22, 30)):
        start = -1
        while (start := data.find(signature, start + 1)) >= 0:
            if data[start + name_at : start + name_at + len(SHEET)] == SHEET.encode():
                struct.pack_into("<I", data, start + size_at, 4_000)
    return bytes(data)


def many_parts() -> bytes:
    """An archive with ten thousand more members."""
    file = io.BytesIO(HONEST)
    with zipfile.ZipFile(file, "a") as archive:
        for number in range(10_000):
            archive.writestr(f"xl/media/{number}.xml", b"")
    return file.getvalue()


def billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    prolog = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">{entities}]>'.encode()
    return changed(HONEST, SHEET, lambda sheet: prolog + sheet.replace(b"web-1", b"&l9;"))


def external_entity() -> bytes:
    prolog = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    return changed(HONEST, "xl/sharedStrings.xml", lambda part: prolog + part.replace(b"web-1", b"&e;"))


def hidden_entities() -> bytes:
    """XML entities that are declared after a long comment, where a check of the beginning does not see them."""
    prolog = b"<!--" + b"x" * 50_000 + b'--><!DOCTYPE x [<!ENTITY l0 "lol">]>'
    return changed(HONEST, SHEET, lambda sheet: prolog + sheet)


def huge_dimensions() -> bytes:
    """Two cells at opposite corners of the largest possible sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["A1"], sheet["XFD1048576"] = "hostname", "x"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def endless_columns() -> bytes:
    return workbook(tuple(f"c{number}" for number in range(16_000)), ("x",))


def with_macros() -> bytes:
    return changed(HONEST, "xl/vbaProject.bin", lambda _part: b"\xd0\xcf\x11\xe0macro")


def with_links() -> bytes:
    return changed(HONEST, "xl/externalLinks/externalLink1.xml", lambda _part: b"<x/>")


def encrypted() -> bytes:
    """A workbook with a password as Office stores it: a compound file with a stream of this name."""
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 1_016 + "EncryptedPackage".encode("utf-16-le") + b"\x00" * 512
    )


def old_excel() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 1_016 + "Workbook".encode("utf-16-le") + b"\x00" * 512


def broken_stream() -> bytes:
    """An archive whose sheet is not a valid deflate stream."""
    data = bytearray(HONEST)
    start = data.find(SHEET.encode()) + len(SHEET)
    data[start + 10 : start + 60] = zlib.compress(b"nonsense")[:8] * 6 + b"xx"
    return bytes(data)


def other_archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    return file.getvalue()


#: Name → (content type, content, start of the message in English).
REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "zip bomb": ("text/xlsx", zip_bomb, "The file is too large when unpacked"),
    "zip bomb that lies": ("text/xlsx", lying_bomb, "The file "),
    "many parts": ("text/xlsx", many_parts, "The file is too large when unpacked"),
    "billion laughs": ("text/xlsx", billion_laughs, "The file declares XML entities"),
    "external entity": ("text/xlsx", external_entity, "The file declares XML entities"),
    "huge dimensions": ("text/xlsx", huge_dimensions, "Reading the file needs too much memory"),
    "endless columns": ("text/xlsx", endless_columns, "The file has more than 256 columns"),
    "macros": ("text/xlsx", with_macros, "The file has macros"),
    "links to other files": ("text/xlsx", with_links, "The file has macros, or links"),
    "encrypted": ("text/xlsx", encrypted, "The file is protected by a password"),
    "old excel": ("text/xlsx", old_excel, "This file has the format of an old Excel"),
    "csv renamed xlsx": ("text/xlsx", lambda: b"hostname,ip\r\nweb-1,203.0.113.1\r\n", "This is not an xlsx file"),
    "other archive": ("text/xlsx", other_archive, "This is not an xlsx"),
    "truncated xlsx": ("text/xlsx", lambda: HONEST[: len(HONEST) // 2], "The file is damaged"),
    "broken stream": ("text/xlsx", broken_stream, "The file is damaged"),
    "xlsx renamed csv": ("text/csv", lambda: HONEST, "This is a spreadsheet, not a csv"),
    "empty csv": ("text/csv", lambda: b"", "The file is empty"),
    "only a mark": ("text/csv", lambda: b"\xef\xbb\xbf\r\n\r\n", "The file is empty"),
    "nul bytes": ("text/csv", lambda: b"hostname,ip\r\nweb\x00-1,1\r\nweb-2,2\r\n", "The file contains NUL"),
    "picture": ("text/csv", lambda: b"\x89PNG\r\n\x1a\n\x07\x08" + bytes(range(1, 9)) * 99, "The "),
    "unknown encoding": (
        "text/csv",
        lambda: "hostname,comment\r\nweb,caf\xe9,\xff\xff\r\n".encode("latin-1"),
        "The encoding",
    ),
    "cut in a character": ("text/csv", lambda: "hostname,comment\r\nweb,生产".encode()[:-1], "The "),
    "open quote": ("text/csv", lambda: b'hostname,ip\r\n"web-1,203.0.113.1\r\n', "Line "),
    "endless cell": ("text/csv", lambda: b"hostname\r\n" + b"x" * 2_000_000, "A cell is too long"),
    "too many rows": ("text/csv", lambda: b"hostname\r\n" + b"web\r\n" * 20_001, "The file has more than 20000 rows"),
    "too many columns": ("text/csv", lambda: b"hostname" + b",x" * 300 + b"\r\nweb\r\n", "The file has more than 256"),
    "column twice": ("text/csv", lambda: b"hostname,*Hostname\r\na,b\r\n", 'The column "*Hostname"'),
    "no header": (
        "text/csv",
        lambda: b"web-1,203.0.113.1\r\nweb-2,203.0.113.2\r\n",
        "The file has no known column",
    ),
    "only a header": ("text/csv", lambda: b"hostname,ip\r\n,\r\n", "The file has a header, but no row"),
    "ragged": ("text/csv", lambda: b"hostname,ip\r\na,b,c\r\n", "Row 2 has more cells"),
}
