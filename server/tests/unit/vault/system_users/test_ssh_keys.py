import asyncssh
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postern.apps.vault.system_users import ssh_keys
from postern.apps.vault.system_users.ssh_keys import KeyRefused


def test_generated_key_is_an_ed25519_key_that_asyncssh_reads() -> None:
    pair = ssh_keys.generate()
    key = asyncssh.import_private_key(pair.private_key.reveal())
    assert key.get_algorithm() == "ssh-ed25519"
    assert key.get_fingerprint("sha256") == pair.fingerprint
    assert pair.public_key.startswith("ssh-ed25519 ")


@pytest.mark.parametrize(
    ("kind", "style"),
    [
        (kind, style)
        for kind in ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ssh-rsa")
        for style in ("openssh", "pkcs8-pem", "pkcs1-pem")
        if (kind, style) != ("ssh-ed25519", "pkcs1-pem")  # this combination does not exist
    ],
)
def test_private_key_in_every_usual_format_is_accepted(kind: str, style: str) -> None:
    key = asyncssh.generate_private_key(kind)
    pair = ssh_keys.read_private_key(key.export_private_key(style).decode())
    assert pair.fingerprint == key.get_fingerprint("sha256")
    assert asyncssh.import_private_key(pair.private_key.reveal()).public_data == key.public_data


@pytest.mark.parametrize("style", ["openssh", "pkcs8-pem"])
def test_locked_private_key_needs_its_passphrase_and_is_returned_unlocked(style: str) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    text = key.export_private_key(style, "correct horse").decode()
    for wrong in ("", "wrong"):
        with pytest.raises(KeyRefused) as caught:
            ssh_keys.read_private_key(text, wrong)
        assert caught.value.code == "passphrase"
    pair = ssh_keys.read_private_key(text, "correct horse")
    assert asyncssh.import_private_key(pair.private_key.reveal()).public_data == key.public_data


def test_unlocked_private_key_ignores_a_passphrase() -> None:
    pair = ssh_keys.generate()
    assert ssh_keys.read_private_key(pair.private_key.reveal(), "login password").fingerprint == pair.fingerprint


def test_private_key_with_windows_line_ends_is_accepted() -> None:
    pair = ssh_keys.generate()
    text = "\r\n" + pair.private_key.reveal().replace("\n", "\r\n") + "\r\n"
    assert ssh_keys.read_private_key(text).fingerprint == pair.fingerprint


def test_weak_rsa_private_key_is_refused() -> None:
    text = asyncssh.generate_private_key("ssh-rsa", key_size=1024).export_private_key("openssh").decode()
    with pytest.raises(KeyRefused) as caught:
        ssh_keys.read_private_key(text)
    assert caught.value.code == "size"


def test_oversized_private_key_is_refused_unread() -> None:
    with pytest.raises(KeyRefused) as caught:
        ssh_keys.read_private_key("-----BEGIN PRIVATE KEY-----\n" + "A" * 40_000)
    assert caught.value.code == "size"


@settings(max_examples=60)
@given(st.text(max_size=200))
def test_other_text_is_refused_as_private_key(text: str) -> None:
    for wrapped in (text, f"-----BEGIN OPENSSH PRIVATE KEY-----\n{text}\n-----END OPENSSH PRIVATE KEY-----"):
        with pytest.raises(KeyRefused):
            ssh_keys.read_private_key(wrapped)


def test_fingerprint_of_an_invalid_line_is_an_error() -> None:
    for line in ("", "ssh-ed25519", "ssh-ed25519 !!!"):
        with pytest.raises(ValueError, match=r"."):
            ssh_keys.fingerprint(line)
