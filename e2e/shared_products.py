"""Products that the tests of many files share. Each runs only while a test that uses it is still to come.

A product that nobody uses costs a twentieth of a core, and each worker of a run would keep two of them to its end.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

import pytest
from product import Product

#: The fixtures that start such a product, in the order in which their tests run.
SHARED: Final = ("product", "company")


class SharedProducts:
    """The shared products of this process, by the name of their fixture."""

    _products: ClassVar[dict[str, Product]] = {}
    #: For each fixture the place of the last test that uses it.
    _last: ClassVar[dict[str, int]] = {}

    @classmethod
    def plan(cls, items: Sequence[pytest.Item]) -> None:
        """Note the last test that uses each product."""
        cls._last = {name: place for place, item in enumerate(items) for name in SHARED if uses(item, name)}

    @classmethod
    def start(cls, name: str, home: Path) -> Product:
        """The product of this fixture, started."""
        cls._products[name] = Product(home)
        return cls._products[name].start()

    @classmethod
    def before(cls, item: pytest.Item, place: int) -> None:
        """Stop the products that no test from this place on uses.

        A worker that gets its files in another order may need one again: it is started with its data.
        """
        for name, product in cls._products.items():
            runs = product in Product.started
            if uses(item, name) and not runs:
                product.start()
            elif runs and place > cls._last[name]:
                product.stop()

    @classmethod
    def end(cls, name: str) -> None:
        """Stop the product for good."""
        product = cls._products.pop(name)
        if product in Product.started:
            product.stop()


def uses(item: pytest.Item, fixture: str) -> bool:
    """Whether a test uses a fixture, also through other fixtures."""
    return fixture in getattr(item, "fixturenames", ())


def group(items: Sequence[pytest.Item]) -> int:
    """The place of a file among the groups: first files that share no product, then those of each shared product."""
    used = [place for place, name in enumerate(SHARED, 1) if any(uses(item, name) for item in items)]
    return min(used, default=0)
