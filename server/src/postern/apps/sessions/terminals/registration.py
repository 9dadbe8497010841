"""Secrets with which a proxy registers: the bootstrap token, or the secret of this installation's own data folder.

The bootstrap token is copied to other machines, so its holder only gets a waiting terminal. The local secret stays in
the data folder: the proxy there presents a code made with it, valid for one name, for one minute, once.
"""

import time
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from postern.contracts.terminals import LOCAL_PROOF_S, local_proof
from postern.foundation.machine import secret_files
from postern.foundation.machine.local_proxy import LOCAL_PROXY_FILE
from postern.kernel import ids
from postern.kernel.addresses import address_key
from postern.kernel.errors import Unavailable
from postern.kernel.secret import Secret

FILE_NAME = "bootstrap.token"

#: Wrong tokens and proofs of one address within a minute, and wrong bootstrap tokens of all addresses.
LIMIT_OF_ADDRESS: Final = 10
LIMIT_OF_ALL: Final = 100
WINDOW_S: Final = 60
_PROOF_PARTS: Final = 3
_MAX_NUMBER_CHARS: Final = 12


def bootstrap_token() -> Secret:
    """The bootstrap token of this installation: from the settings, or generated once in the folder of secrets."""
    if settings.POSTERN.bootstrap_token is not None:
        token: Secret = settings.POSTERN.bootstrap_token
        return token
    return Secret(secret_files.read_or_create(settings.POSTERN.secrets_dir / FILE_NAME, ids.new_token))


def is_bootstrap_token(text: str) -> bool:
    """Whether `text` is the token, compared in constant time."""
    return ids.same(ids.token_hash(text), ids.token_hash(bootstrap_token().reveal()))


def local_secret() -> Secret:
    """The secret of this data folder, generated once. Never sent anywhere."""
    return Secret(secret_files.read_or_create(settings.POSTERN.secrets_dir / LOCAL_PROXY_FILE, ids.new_token))


def is_local_proof(text: str, *, name: str) -> bool:
    """Whether `text` was made with the local secret, for this name, just now, and is presented for the first time.

    Raises Unavailable when used proofs cannot be stored.
    """
    parts = text.split(".")
    if (
        len(parts) != _PROOF_PARTS
        or not parts[0].isascii()
        or not parts[0].isdigit()
        or len(parts[0]) > _MAX_NUMBER_CHARS
    ):
        return False
    made_at = int(parts[0])
    expected = local_proof(local_secret().reveal(), name=name, made_at=made_at, nonce=parts[1])
    if not ids.same(expected, text) or abs(time.time() - made_at) > LOCAL_PROOF_S:
        return False
    return _first_time(f"sessions:local-proof:{ids.token_hash(text)}")


def tries_are_left(remote_addr: str, *, of_all: bool) -> bool:
    """Whether a client at this address may still present a token. Raises Unavailable when failures cannot be counted.

    `of_all`: failures of other addresses count too. Use it for bootstrap tokens, which many addresses could guess
    together.
    """
    try:
        tried = cache.get_many(_counts(remote_addr, of_all=of_all))
    except (RedisError, OSError) as error:
        raise _nobody_counts() from error
    limits = {_of_all(): LIMIT_OF_ALL, _of_address(remote_addr): LIMIT_OF_ADDRESS}
    return all(count < limits[key] for key, count in tried.items())


def count_failure(remote_addr: str, *, of_all: bool) -> None:
    """Count a wrong token from this address. Raises Unavailable when failures cannot be counted."""
    try:
        for key in _counts(remote_addr, of_all=of_all):
            if not cache.add(key, 1, WINDOW_S):
                try:
                    cache.incr(key)
                except ValueError:  # the counter expired between the two calls
                    cache.add(key, 1, WINDOW_S)
    except (RedisError, OSError) as error:
        raise _nobody_counts() from error


def _counts(remote_addr: str, *, of_all: bool) -> list[str]:
    return [_of_address(remote_addr), *([_of_all()] if of_all else [])]


def _first_time(key: str) -> bool:
    try:
        return bool(cache.add(key, 1, 2 * LOCAL_PROOF_S))
    except (RedisError, OSError) as error:
        raise _nobody_counts() from error


def _nobody_counts() -> Unavailable:
    return Unavailable(_("Registration is not possible at the moment. Try again later."))


def _of_all() -> str:
    return "sessions:registration-failures"


def _of_address(remote_addr: str) -> str:
    return f"sessions:registration-failures:{ids.token_hash(address_key(remote_addr))[:32]}"
