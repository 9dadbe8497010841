"""How figures grow with the size of the world: each is noted once for each size, and the table has a column for a size."""

from collections.abc import Iterator
from typing import Final

#: Name of a figure → size in assets → milliseconds, p95.
_noted: Final[dict[str, dict[int, float]]] = {}
_size: list[int] = []


def shares(whole: int, *, is_asked: bool, is_quick: bool) -> Iterator[int]:
    """By what the sizes are divided: a hundredth, a tenth and the whole for a table, else the whole or a tenth."""
    for share in (100, 10, 1) if is_asked else (10,) if is_quick else (1,):
        _size[:] = [whole // share]
        if is_asked:
            print(f"--- {whole // share:,} assets", flush=True)
        yield share


def note(name: str, p95_ms: float) -> None:
    """Keep a figure of the present size. Numbers in parentheses at the end of a name belong to the size, and are left out."""
    if _size:
        _noted.setdefault(name.split(" (", maxsplit=1)[0], {})[_size[0]] = p95_ms


def show() -> None:
    """Print the table, with what the largest size takes as a multiple of the smallest."""
    sizes = sorted({size for some in _noted.values() for size in some})
    if len(sizes) < 2:
        return
    print(f"\n{'p95 in ms':44} " + " ".join(f"{size:>10,}" for size in sizes) + "     growth")
    for name, some in _noted.items():
        columns = " ".join(f"{some[size]:10.1f}" if size in some else f"{'':10}" for size in sizes)
        first, last = some.get(sizes[0]), some.get(sizes[-1])
        times = f"{last / first:9.1f} x" if first and last is not None else ""
        print(f"{name:44} {columns}  {times}")
