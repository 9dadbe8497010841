"""Signed SSH sign-in requests: every kind of key is verified, and a change at any place is refused."""

import os

import asyncssh
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factories.ssh_proof import SecurityKey, make_key, signed_request
from postern.apps.authn.signatures.ssh_proofs import (
    ProofProblem,
    hash_of_key,
    holds,
    holds_hash,
    lacks_pin,
    read_proof,
)

KEY, LINE = make_key()
SIGNED, SIGNATURE = signed_request(KEY, "li@deploy@shop-1")


@pytest.mark.parametrize(
    ("kind", "algorithm"),
    [
        ("ssh-ed25519", "ssh-ed25519"),
        ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"),
        ("ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"),
        ("ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521"),
        ("ssh-rsa", "rsa-sha2-256"),
        ("ssh-rsa", "rsa-sha2-512"),
    ],
)
def test_k8_signature_of_every_kind_of_key_is_verified(kind: str, algorithm: str) -> None:
    key, line = make_key(kind)
    signed, signature = signed_request(key, "li", algorithm=algorithm)
    proof = read_proof(signed, signature)
    assert (proof.username, proof.key.line) == ("li", line)
    assert holds(proof)
    other, _line = make_key(kind)
    assert not holds(read_proof(signed, signed_request(other, "li", algorithm=algorithm)[1]))
    assert not holds(read_proof(signed_request(key, "admin", algorithm=algorithm)[0], signature))


def test_k8_rsa_with_sha1_is_refused() -> None:
    key, _line = make_key("ssh-rsa")
    signed, signature = signed_request(key, "li", algorithm="ssh-rsa")
    assert not holds(read_proof(signed, signature))


@pytest.mark.parametrize("kind", list(SecurityKey.KINDS))
@pytest.mark.parametrize(("flags", "right"), [(1, True), (5, True), (0, False), (4, False)])
def test_k8_security_key_must_be_touched(kind: str, flags: int, right: bool) -> None:
    key = SecurityKey(kind)
    signed, signature = key.signed_request("li", flags=flags)
    library = asyncssh.public_key.decode_ssh_public_key(key.blob)
    library.set_touch_required(True)
    assert library.verify(signed, signature) is right
    proof = read_proof(signed, signature)
    assert holds(proof) is right
    assert lacks_pin(proof) is (flags & 4 == 0)


@pytest.mark.parametrize("kind", list(SecurityKey.KINDS))
def test_flags_of_a_security_key_cannot_be_changed(kind: str) -> None:
    signed, signature = SecurityKey(kind).signed_request("li", flags=1)
    forged = signature[:-5] + bytes((5,)) + signature[-4:]
    assert not holds(read_proof(signed, forged))


def test_only_security_keys_lack_a_pin() -> None:
    for kind in ("ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa"):
        key, _line = make_key(kind)
        assert not lacks_pin(read_proof(*signed_request(key, "li")))


def test_hashes_identify_connection_and_key() -> None:
    connection = os.urandom(32)
    first = read_proof(*signed_request(KEY, "li", connection=connection))
    again = read_proof(*signed_request(KEY, "li@web", connection=connection))
    elsewhere = read_proof(*signed_request(KEY, "li"))
    assert first.connection_hash == again.connection_hash != elsewhere.connection_hash
    assert first.key_hash == elsewhere.key_hash == hash_of_key(KEY.public_data)


def test_key_is_found_among_the_keys_of_a_user() -> None:
    other, other_line = make_key()
    text = f"# laptop\n{other_line}\n\nnot a key\n{LINE} li@laptop\n"
    assert holds_hash(text, hash_of_key(KEY.public_data))
    assert not holds_hash(other_line, hash_of_key(KEY.public_data))
    assert not holds_hash("", hash_of_key(other.public_data))


@settings(max_examples=300)
@given(at=st.integers(0, len(SIGNED) + len(SIGNATURE) - 1), bit=st.integers(0, 7))
def test_k8_flipped_bit_of_a_proof_is_refused(at: int, bit: int) -> None:
    whole = bytearray(SIGNED + SIGNATURE)
    whole[at] ^= 1 << bit
    signed, signature = bytes(whole[: len(SIGNED)]), bytes(whole[len(SIGNED) :])
    try:
        assert not holds(read_proof(signed, signature))
    except ProofProblem:
        return


@settings(max_examples=300)
@given(signed=st.binary(max_size=300), signature=st.binary(max_size=200))
def test_invalid_bytes_are_refused_without_a_crash(signed: bytes, signature: bytes) -> None:
    with pytest.raises(ProofProblem):
        read_proof(signed, signature)
    assert not holds(read_proof(SIGNED, signature))
