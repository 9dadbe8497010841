"""What the front says about its ways of signing in. It depends on the settings alone, so every name gets the same."""

from postern.contracts.terminals import ProxySettings
from postern.proxies.core.texts import Text


def notice(settings: ProxySettings, language: str) -> str:
    """Which ways are switched off, and what to do; "" where nothing is missing, or the question for a code says it."""
    match settings.password_auth, settings.public_key_auth, settings.code_auth:
        case True, False, True:
            text = Text.SSH_PASSWORD_OR_CODE_ONLY
        case True, False, False:
            text = Text.SSH_PASSWORD_ONLY
        case False, True, False:
            text = Text.SSH_KEY_ONLY
        case False, False, False:
            text = Text.SSH_CLOSED
        case _:
            return ""
    return text.say(language, url=settings.console_url)


def code_explained(settings: ProxySettings, language: str) -> str:
    """Why a code is asked for, and where it comes from."""
    text = Text.CODE_OR_KEY_EXPLAINED if settings.public_key_auth else Text.CODE_EXPLAINED
    return text.say(language, url=settings.console_url)


def after_wrong_password(settings: ProxySettings, language: str) -> str:
    """The way for people who have no password here; "" where there is none. Said after every wrong password alike."""
    if not settings.code_auth or not settings.password_auth:
        return ""
    return Text.WRONG_PASSWORD_CODE.say(language, url=settings.console_url)
