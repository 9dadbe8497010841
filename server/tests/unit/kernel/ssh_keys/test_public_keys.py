import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from postern.kernel.ssh_keys.public_keys import (
    RSA_MAX_BITS,
    PublicKeyProblem,
    holds_key,
    parse_public_key,
    parse_public_keys,
)


def line_of(key: ed25519.Ed25519PublicKey | rsa.RSAPublicKey | ec.EllipticCurvePublicKey, comment: str = "") -> str:
    text = key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return f"{text} {comment}" if comment else text


def ed25519_line(comment: str = "") -> str:
    return line_of(ed25519.Ed25519PrivateKey.generate().public_key(), comment)


def problem(text: str) -> str:
    with pytest.raises(PublicKeyProblem) as caught:
        parse_public_keys(text)
    return caught.value.reason


@pytest.mark.parametrize(
    "key",
    [
        ed25519.Ed25519PrivateKey.generate().public_key(),
        ec.generate_private_key(ec.SECP256R1()).public_key(),
        rsa.generate_private_key(65537, 2048).public_key(),
    ],
    ids=["ed25519", "ecdsa", "rsa2048"],
)
def test_public_key_of_a_modern_kind_is_accepted(key: ed25519.Ed25519PublicKey):
    parsed = parse_public_key(line_of(key, "ann@desk"))
    assert parsed.comment == "ann@desk"
    assert parsed.line == line_of(key, "ann@desk")
    assert parsed.sha256.startswith("SHA256:")
    assert len(parsed.md5) == 47


def test_public_key_rsa_below_2048_is_refused():
    short = rsa.generate_private_key(65537, 1024).public_key()  # noqa: S505 - it must be refused
    assert problem(line_of(short)) == "too_short"


def test_rsa_key_that_the_ssh_front_would_ignore_is_not_stored():
    largest = rsa.RSAPublicNumbers(65537, (1 << RSA_MAX_BITS - 1) | 1).public_key()
    larger = rsa.RSAPublicNumbers(65537, (1 << RSA_MAX_BITS) | 1).public_key()
    assert parse_public_key(line_of(largest)).sha256.startswith("SHA256:")
    assert problem(line_of(larger)) == "too_long"


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "ssh-ed25519 AAAA",
        "ssh-ed25519 !!!!",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        'command="/bin/sh" ' + ed25519_line(),
        "ssh-rsa " + ed25519_line().split()[1],
    ],
    ids=["word", "cut", "no-base64", "private", "options", "other-kind"],
)
def test_public_key_malformed_is_refused(text: str):
    assert problem(text) in ("malformed", "unsupported")


def test_public_key_certificate_is_refused():
    assert problem("ssh-ed25519-cert-v01@openssh.com AAAA") == "unsupported"


def test_public_keys_are_one_per_line_without_blank_comment_and_duplicate_lines():
    first, two = ed25519_line("a"), ed25519_line("b")
    assert len(parse_public_keys(f"# mine\n\n{first}\r\n{two}\n{first} again\n")) == 2


def test_k65_more_than_ten_public_keys_are_refused():
    assert problem("\n".join(ed25519_line() for _ in range(11))) == "too_many"


def test_control_characters_are_removed_from_the_comment_of_a_public_key():
    assert parse_public_key(ed25519_line("a\x1b[31mb")).comment == "a[31mb"


def test_holds_key_ignores_the_comment():
    first, other = ed25519_line("a"), ed25519_line("b")
    stored = f"{ed25519_line('x')}\n{first}"
    assert holds_key(stored, " ".join(first.split()[:2]) + " elsewhere")
    assert not holds_key(stored, other)
    assert not holds_key("", first)
    assert not holds_key(stored, "garbage")
