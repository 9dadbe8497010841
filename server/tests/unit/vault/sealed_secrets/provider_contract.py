"""The contract of every store of secrets: a test class for each kind inherits from `SecretProviderContract`."""

from dataclasses import replace

import pytest

from postern.apps.vault.sealed_secrets.errors import SecretUnreadable
from postern.apps.vault.sealed_secrets.sealing import SecretPlace
from postern.apps.vault.sealed_secrets.stored import SecretProvider
from postern.kernel.ids import DEFAULT_ORG_ID, new_id
from postern.kernel.secret import Secret


def make_place(column: str = "password") -> SecretPlace:
    return SecretPlace(table="vault_systemuser", row_id=new_id(), org_id=DEFAULT_ORG_ID, column=column)


class SecretProviderContract:
    """Tests of the fixture `provider`, an empty store that the subclass provides."""

    @pytest.mark.parametrize("text", ["x", "密码 \u2028\n\t", '{"a": "\\"}', "x" * 20_000, "\x00"])
    def test_secret_returns_as_it_was_stored(self, provider: SecretProvider, text: str) -> None:
        place = make_place()
        assert provider.open(provider.store(place, Secret(text)), place).reveal() == text

    def test_row_keeps_no_plaintext_and_fits_its_columns(self, provider: SecretProvider) -> None:
        stored = provider.store(make_place(), Secret("canary-77d2"))
        assert b"canary" not in stored.ciphertext + stored.wrapped_key + stored.reference.encode()
        assert len(stored.reference) <= 1024

    def test_former_row_is_readable_after_many_later_writes(self, provider: SecretProvider) -> None:
        """Their transactions may all be rolled back."""
        place = make_place()
        former = provider.store(place, Secret("former"))
        later = [provider.store(place, Secret(f"later {number}")) for number in range(12)]
        assert provider.open(former, place).reveal() == "former"
        assert [provider.open(one, place).reveal() for one in later] == [f"later {number}" for number in range(12)]

    @pytest.mark.parametrize("part", ["table", "row_id", "org_id", "column"])
    def test_stored_secret_is_not_opened_at_another_place(self, provider: SecretProvider, part: str) -> None:
        place = make_place()
        others = {"table": "vault_gateway", "row_id": new_id(), "org_id": new_id(), "column": "token"}
        stored = provider.store(place, Secret("mine"))
        with pytest.raises(SecretUnreadable):
            provider.open(stored, replace(place, **{part: others[part]}))

    @pytest.mark.parametrize(
        "columns", [("reference", "reference_version"), ("wrapped_key", "kek_version"), ("ciphertext",)]
    )
    def test_parts_of_another_row_are_not_opened(self, provider: SecretProvider, columns: tuple[str, ...]) -> None:
        place = make_place()
        stored, other = provider.store(place, Secret("mine")), provider.store(make_place(), Secret("other"))
        mixed = replace(stored, **{column: getattr(other, column) for column in columns})
        if mixed == stored:
            assert provider.open(mixed, place).reveal() == "mine"
            return
        with pytest.raises(SecretUnreadable):
            provider.open(mixed, place)

    @pytest.mark.parametrize("reference", ["", "vault:v1:", "vault:v1:AAAA", "../x", "a/b/c", "x" * 500])
    def test_altered_reference_is_reported(self, provider: SecretProvider, reference: str) -> None:
        place = make_place()
        stored = provider.store(place, Secret("mine"))
        if not stored.reference:
            return
        with pytest.raises(SecretUnreadable):
            provider.open(replace(stored, reference=reference), place)
