"""The offered algorithms: an explicit list in our order, for both legs, without any algorithm that ssh-audit fails."""

from typing import Final

#: Towards users. Clients without Ed25519 (JSch on Java 8, older network gear) use RSA, with SHA-2 only.
HOST_KEY: Final = ("ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256")
HOST_KEY_RSA_BITS: Final = 3072

#: The last algorithm is for clients without elliptic curves. Group 18 would block the event loop for 20 ms per
#: connection.
KEY_EXCHANGE: Final = (
    "mlkem768x25519-sha256",
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group14-sha256",
)

_GCM: Final = ("aes128-gcm@openssh.com", "aes256-gcm@openssh.com")
_OTHERS: Final = ("chacha20-poly1305@openssh.com", "aes256-ctr", "aes192-ctr", "aes128-ctr")

ENCRYPTION: Final = _GCM + _OTHERS
#: The client's order decides, and OpenSSH prefers chacha20 although AES-GCM costs both sides less.
ENCRYPTION_FOR_OPENSSH: Final = _GCM

#: Used with the CTR ciphers only. The last two are for libssh2 before 1.11, PuTTY before 0.71 and similar clients.
MAC: Final = ("hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512")

#: Signature algorithms of users' keys. No SHA-1.
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

#: Targets cannot be chosen, so a few more algorithms are offered than towards users, but no broken algorithms.
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
TARGET_MAC: Final = MAC
TARGET_HOST_KEY: Final = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
