"""Which language a person is spoken to in: the one they have chosen, else their client's, else the installation's."""

from collections.abc import Mapping
from typing import Final

#: The variables that name the language of messages, in the order in which POSIX lets them decide.
_VARIABLES: Final = (b"LC_ALL", b"LC_MESSAGES", b"LANG")
_LANGUAGES: Final = {b"zh": "zh-hans", b"en": "en"}


def language_of_client(environment: Mapping[bytes, bytes]) -> str:
    """What the client's locale asks for; "" when it names no language that there is (`C`, `de_DE` …)."""
    locale = next((value for name in _VARIABLES if (value := environment.get(name))), b"")
    language = locale.partition(b".")[0].partition(b"@")[0].replace(b"-", b"_").partition(b"_")[0]
    return _LANGUAGES.get(language.lower(), "")


def choose_language(chosen: str, environment: Mapping[bytes, bytes], installation: str) -> str:
    """`chosen` is the person's own, "" for none; `installation` is the setting."""
    return chosen or language_of_client(environment) or installation
