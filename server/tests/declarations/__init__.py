"""What tests know of plain resources: one module for each resource, whose `RESOURCE` is a `Plain`.

The tables of the tests are composed from these declarations: the objects of a settlement, the resources of the isolation test,
the samples of hostile input, the payloads, the writes, the API that all plain resources have, and the screens of the crawl.
"""

from importlib import import_module
from pathlib import Path
from typing import Final

from declarations.plain import Plain

PLAIN: Final[tuple[Plain, ...]] = tuple(
    import_module(f"declarations.{path.stem}").RESOURCE
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in {"__init__", "plain"}
)
