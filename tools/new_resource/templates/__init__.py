"""Texts of the files that are written; `$name` is replaced with a value."""

from collections.abc import Mapping
from pathlib import Path
from string import Template


def filled(name: str, values: Mapping[str, str]) -> str:
    """A template with its values. A name without a value is an error."""
    text = Path(__file__).with_name("files").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(values)
