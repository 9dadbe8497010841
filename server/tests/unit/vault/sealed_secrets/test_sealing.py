import dataclasses
import os
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.vault.sealed_secrets import sealing
from postern.apps.vault.sealed_secrets.sealing import SealBroken, SealedValue, SecretPlace
from postern.kernel.secret import Secret

KEK = os.urandom(32)
PLACE = SecretPlace(table="vault_systemuser", row_id=uuid4(), org_id=uuid4(), column="password")


def sealed(text: str = "s3cret canary") -> SealedValue:
    return sealing.seal(Secret(text), PLACE, kek=KEK, kek_version=1)


@given(st.text())
def test_any_sealed_text_opens_again(text: str) -> None:
    assert sealing.unseal(sealed(text), PLACE, kek=KEK).reveal() == text


def test_same_text_sealed_twice_has_nothing_in_common() -> None:
    first, second = sealed(), sealed()
    assert first.ciphertext != second.ciphertext
    assert first.wrapped_key != second.wrapped_key
    assert b"canary" not in first.ciphertext + first.wrapped_key


@pytest.mark.parametrize(
    "change",
    [{"table": "other"}, {"row_id": uuid4()}, {"org_id": uuid4()}, {"column": "private_key"}],
    ids=["table", "row", "organization", "column"],
)
def test_unseal_for_another_row_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(SealBroken):
        sealing.unseal(sealed(), dataclasses.replace(PLACE, **change), kek=KEK)  # type: ignore[arg-type]  # varied by field


def test_unseal_under_another_version_or_key_is_refused() -> None:
    value = sealed()
    with pytest.raises(SealBroken):
        sealing.unseal(dataclasses.replace(value, kek_version=2), PLACE, kek=KEK)
    with pytest.raises(SealBroken):
        sealing.unseal(value, PLACE, kek=os.urandom(32))


def _with(value: SealedValue, field: str, content: bytes) -> SealedValue:
    if field == "ciphertext":
        return dataclasses.replace(value, ciphertext=content)
    return dataclasses.replace(value, wrapped_key=content)


def test_unseal_with_any_flipped_bit_is_refused() -> None:
    value = sealed("x")
    for field in ("ciphertext", "wrapped_key"):
        original = getattr(value, field)
        for position in range(len(original)):
            bent = bytearray(original)
            bent[position] ^= 1
            with pytest.raises(SealBroken):
                sealing.unseal(_with(value, field, bytes(bent)), PLACE, kek=KEK)
        with pytest.raises(SealBroken):
            sealing.unseal(_with(value, field, original[:5]), PLACE, kek=KEK)


def test_rewrapped_secret_opens_with_the_new_key_only() -> None:
    new_kek = os.urandom(32)
    value = sealed("kept")
    fresh = sealing.rewrap(value, PLACE, old_kek=KEK, new_kek=new_kek, new_version=2)
    assert fresh.ciphertext == value.ciphertext
    assert sealing.unseal(fresh, PLACE, kek=new_kek).reveal() == "kept"
    with pytest.raises(SealBroken):
        sealing.unseal(fresh, PLACE, kek=KEK)
