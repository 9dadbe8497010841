"""Chooses the language for messages to a user: the user's own choice, else their client's, else the installation's."""

from collections.abc import Mapping
from typing import Final

#: The environment variables that set the message language, in the order of precedence that POSIX defines.
_VARIABLES: Final = (b"LC_ALL", b"LC_MESSAGES", b"LANG")
_LANGUAGES: Final = {b"zh": "zh-hans", b"en": "en"}


def language_of_client(environment: Mapping[bytes, bytes]) -> str:
    """Return the language of the client's locale, or "" if it names none that Postern supports (`C`, `de_DE` …)."""
    locale = next((value for name in _VARIABLES if (value := environment.get(name))), b"")
    language = locale.partition(b".")[0].partition(b"@")[0].replace(b"-", b"_").partition(b"_")[0]
    return _LANGUAGES.get(language.lower(), "")


def choose_language(chosen: str, environment: Mapping[bytes, bytes], installation: str) -> str:
    """`chosen` is the user's own language, "" if they chose none. `installation` is the language in the settings."""
    return chosen or language_of_client(environment) or installation
