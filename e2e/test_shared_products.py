"""Tests of the products that test files share."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import shared_products
from shared_products import SharedProducts, group


class Counted:
    """Stands for a product, and counts its starts."""

    started: "list[Counted]" = []

    def __init__(self, home: Path) -> None:
        self.home, self.starts = home, 0

    def start(self) -> "Counted":
        self.starts += 1
        self.started.append(self)
        return self

    def stop(self) -> None:
        self.started.remove(self)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_products, "Product", Counted)
    monkeypatch.setattr(Counted, "started", [])
    monkeypatch.setattr(SharedProducts, "_products", {})
    monkeypatch.setattr(SharedProducts, "_last", {})


def using(*fixtures: str) -> Any:
    """A test that uses these fixtures."""
    return SimpleNamespace(fixturenames=fixtures)


def running() -> list[str]:
    return [product.home.name for product in Counted.started]


@pytest.mark.usefixtures("counted")
def test_product_ends_after_the_last_test_that_uses_it() -> None:
    tests = [using("product"), using(), using("product", "world"), using("company"), using()]
    SharedProducts.plan(tests)
    SharedProducts.start("product", Path("product"))
    for place in (0, 1, 2):
        SharedProducts.before(tests[place], place)
        assert running() == ["product"]
    SharedProducts.before(tests[3], 3)
    assert running() == []
    SharedProducts.start("company", Path("company"))
    SharedProducts.before(tests[4], 4)
    assert running() == []
    SharedProducts.end("product")
    SharedProducts.end("company")


@pytest.mark.usefixtures("counted")
def test_product_that_is_needed_after_all_is_started_again() -> None:
    tests = [using("product"), using()]
    SharedProducts.plan(tests)
    product: Any = SharedProducts.start("product", Path("product"))
    SharedProducts.before(tests[1], 1)
    SharedProducts.before(tests[0], 0)
    assert running() == ["product"]
    SharedProducts.before(tests[0], 0)
    assert product.starts == 2
    SharedProducts.end("product")
    assert running() == []


def test_files_without_a_shared_product_come_first() -> None:
    files = [[using("company")], [using(), using("world", "product")], [using("own")]]
    assert [group(file) for file in files] == [2, 1, 0]
