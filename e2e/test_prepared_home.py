"""Tests of the data folder that the products of a run are copied from."""

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from prepared_home import PreparedHome
from product import Product


def make(home: Path) -> None:
    home.mkdir()
    (home / "key").write_text("secret")
    (home / "key").chmod(0o600)


def test_first_of_many_callers_makes_it_and_each_gets_a_private_copy(tmp_path: Path) -> None:
    made: list[Path] = []

    def migrate(home: Path) -> None:
        made.append(home)
        make(home)

    homes = [tmp_path / f"home-{number}" for number in range(8)]
    with ThreadPoolExecutor(len(homes)) as pool:
        list(pool.map(lambda home: PreparedHome(tmp_path / "prepared").copy_to(home, migrate), homes))
    assert len(made) == 1
    for home in homes:
        assert stat.S_IMODE((home / "key").stat().st_mode) == 0o600
        (home / "key").write_text("changed")
    PreparedHome(tmp_path / "prepared").copy_to(tmp_path / "last", migrate)
    assert (tmp_path / "last" / "key").read_text() == "secret"


def test_folder_of_a_worker_that_died_meanwhile_is_made_again(tmp_path: Path) -> None:
    def dies(home: Path) -> None:
        make(home)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PreparedHome(tmp_path / "prepared").copy_to(tmp_path / "first", dies)
    assert not (tmp_path / "first").exists()
    PreparedHome(tmp_path / "prepared").copy_to(tmp_path / "second", make)
    assert (tmp_path / "second" / "key").read_text() == "secret"


def test_products_start_from_it_and_keep_their_own_rows(product: Product) -> None:
    """The administrator of a product is the one of the prepared folder, and its users are not."""
    assert Product.prepared is not None
    product.api().get("/api/v1/users/profile/")
    with (
        closing(sqlite3.connect(product.home / "postern.sqlite3")) as own,
        # Other products may be copied from it at this moment, so not even a lock is taken.
        closing(sqlite3.connect(f"file:{Product.prepared.made}/postern.sqlite3?immutable=1", uri=True)) as prepared,
    ):
        first = "SELECT id FROM users_user WHERE username = 'admin'"
        assert own.execute(first).fetchone() == prepared.execute(first).fetchone() is not None
        assert prepared.execute("SELECT count(*) FROM audits_loginlog").fetchone() == (0,)
        assert own.execute("SELECT count(*) FROM audits_loginlog").fetchone() != (0,)
