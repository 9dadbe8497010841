"""Tests of the helper that starts the product."""

import socket
from pathlib import Path

import pytest
from product import Product


def test_product_that_does_not_become_healthy_leaves_no_process_behind(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts connections and never answers
        redis = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        product = Product(tmp_path / "home", POSTERN_REDIS_URL=redis)
        with pytest.raises(AssertionError, match=r"^health did not come true"):
            product.start(limit_s=25)
    assert "web" in product.output()
    assert product.family() == []
    assert product not in Product.started
    assert product.process is not None
    assert product.process.returncode is not None


def test_product_that_exits_immediately_leaves_no_process_behind(tmp_path: Path) -> None:
    product = Product(tmp_path / "home", POSTERN_LANGUAGE="no language")
    with pytest.raises(AssertionError, match="postern ended"):
        product.start()
    assert product.family() == []
    assert product not in Product.started
