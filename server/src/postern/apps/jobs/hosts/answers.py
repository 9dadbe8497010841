"""Lines that Postern's scripts print on hosts: `nonce TAB name TAB value`.

Everything in them was written by the host and is only data: it is made printable, and nothing of it becomes part of a
command (K13: values are only data). The nonce tells them from what else the host shows; it is no protection from
a hostile host.
"""

from collections.abc import Iterator

from postern.kernel.log import printable


def answers(output: bytes, nonce: str) -> Iterator[tuple[str, str]]:
    """Each name with its value, in order."""
    beginning = nonce.encode() + b"\t"
    for whole in output.split(b"\n"):
        line = whole.removesuffix(b"\r")  # Windows ends lines with both
        if line.startswith(beginning):
            name, _tab, value = line[len(beginning) :].decode("utf-8", "replace").partition("\t")
            yield name, " ".join(printable(value).split())
