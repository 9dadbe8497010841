"""Reads the answers of `facts.sh`. Texts are cut to their columns, and numbers are bounded."""

from collections.abc import Mapping
from typing import Any, Final

from postern.apps.jobs.hosts.answers import answers

_GIB: Final = 1024**3
_SECTOR_BYTES: Final = 512
_MAX_NUMBER: Final = 2**53
_MAX_COUNT: Final = 1_000_000
#: Disks of one host that are stored. A storage server has some hundred.
_MAX_DISKS: Final = 512
#: No disk is larger: an exbibyte.
_MAX_DISK_BYTES: Final = 2**60

#: Column of the asset → most characters.
_TEXTS: Final[Mapping[str, tuple[str, int]]] = {
    "vendor": ("vendor", 64),
    "model": ("model", 54),
    "sn": ("serial", 128),
    "cpu_model": ("cpu_model", 64),
    "os_version": ("os_version", 16),
    "os_arch": ("arch", 16),
    "hostname_raw": ("hostname", 128),
}
_COUNTS: Final[Mapping[str, str]] = {
    "cpu_count": "cpu_sockets",
    "cpu_cores": "cpu_cores",
    "cpu_vcpus": "cpu_threads",
}


def read_facts(output: bytes, nonce: str) -> dict[str, Any] | None:
    """The columns of the asset in the host's answer, or None if the answer is incomplete."""
    answered: dict[str, str] = {}
    disks: dict[str, int] = {}
    for name, value in answers(output, nonce):
        if name == "disk":
            disk, size = _disk(value)
            if size and (disk in disks or len(disks) < _MAX_DISKS):
                disks.setdefault(disk, size)
        else:
            answered.setdefault(name, value)
    if "end" not in answered:
        return None
    facts: dict[str, Any] = {
        column: answered[name][:length] for column, (name, length) in _TEXTS.items() if answered.get(name)
    }
    facts["os"] = (answered.get("os_name") or answered.get("kernel") or "")[:128]
    for column, name in _COUNTS.items():
        number = _number(answered.get(name, ""), _MAX_COUNT)
        if number:
            facts[column] = number
    memory = _number(answered.get("memory_kib", ""), _MAX_NUMBER) * 1024 or _number(
        answered.get("memory_bytes", ""), _MAX_NUMBER
    )
    if memory:
        facts["memory"] = shown_size(memory)
    if disks:
        facts["disk_total"] = shown_size(sum(disks.values()))
        facts["disk_info"] = ", ".join(f"{name}: {shown_size(size)}" for name, size in disks.items())[:1024]
    return {column: value for column, value in facts.items() if value != ""}


def shown_size(size: int) -> str:
    """A size in bytes as `15.5 GiB`."""
    return f"{size / _GIB:.1f} GiB"


def _disk(value: str) -> tuple[str, int]:
    """Name and bytes of a disk; 0 bytes for an answer that is none."""
    name, _space, sectors = value.partition(" ")
    size = _number(sectors, _MAX_NUMBER) * _SECTOR_BYTES
    return name[:32], size if size <= _MAX_DISK_BYTES else 0


def _number(text: str, most: int) -> int:
    """A number from 0 to `most`; 0 for anything else."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most))):
        return 0
    number = int(text)
    return number if number <= most else 0
