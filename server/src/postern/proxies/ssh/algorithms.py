"""Which algorithms are offered: an explicit modern list, in our order, for both legs."""

from typing import Final

HOST_KEY: Final = ("ssh-ed25519",)

KEY_EXCHANGE: Final = (
    "mlkem768x25519-sha256",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "diffie-hellman-group16-sha512",
)

_GCM: Final = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com")
_OTHERS: Final = ("chacha20-poly1305@openssh.com", "aes256-ctr", "aes192-ctr", "aes128-ctr")

ENCRYPTION: Final = _GCM + _OTHERS
#: The client's order decides, and OpenSSH asks for chacha20 first although AES-GCM costs both sides less.
ENCRYPTION_FOR_OPENSSH: Final = _GCM

MAC: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com")

#: Signatures that a person's key may make. No SHA-1.
SIGNATURE: Final = (
    "ssh-ed25519",
    "sk-ssh-ed25519@openssh.com",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "rsa-sha2-256",
    "rsa-sha2-512",
)

#: Targets are what they are: a few more choices than towards people, still nothing broken.
TARGET_KEY_EXCHANGE: Final = (
    "mlkem768x25519-sha256",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group18-sha512",
    "diffie-hellman-group-exchange-sha256",
    "diffie-hellman-group14-sha256",
)
TARGET_ENCRYPTION: Final = ENCRYPTION
TARGET_MAC: Final = (*MAC, "hmac-sha2-256", "hmac-sha2-512")
TARGET_HOST_KEY: Final = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)

#: Largest and smallest RSA key of a person that is looked at; larger ones cost too much to verify (K65).
RSA_MIN_BITS: Final = 2048
RSA_MAX_BITS: Final = 4096
