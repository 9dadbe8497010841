"""The cost of a password hash for an attacker."""

import pytest

from postern.apps.users.credentials.hashing import BoundedArgon2Hasher


@pytest.mark.usefixtures("product_hash_cost")
def test_hash_costs_at_least_the_owasp_minimum() -> None:
    encoded = BoundedArgon2Hasher().encode("x", "saltsaltsalt")
    assert encoded.split("$")[3] == "m=47104,t=2,p=1"
