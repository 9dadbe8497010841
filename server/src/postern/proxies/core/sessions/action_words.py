"""The sentences for a user about the actions of their permission."""

from typing import Final

from postern.contracts.enums import Actions
from postern.proxies.core.spoken import ENGLISH
from postern.proxies.core.texts import Text

_ACTION_WORDS: Final = {
    Actions.CONNECT: Text.ACTION_CONNECT,
    Actions.UPLOAD_FILE: Text.ACTION_UPLOAD_FILE,
    Actions.DOWNLOAD_FILE: Text.ACTION_DOWNLOAD_FILE,
    Actions.CLIPBOARD_COPY: Text.ACTION_CLIPBOARD_COPY,
    Actions.CLIPBOARD_PASTE: Text.ACTION_CLIPBOARD_PASTE,
    Actions.FORWARD: Text.ACTION_FORWARD,
}
_NEVER_HELD: Final = {
    Actions.CONNECT: Text.CONNECT_NOT_PERMITTED,
    Actions.UPLOAD_FILE: Text.UPLOAD_REFUSED,
    Actions.DOWNLOAD_FILE: Text.DOWNLOAD_REFUSED,
    Actions.UPDOWNLOAD: Text.TRANSFER_REFUSED,
    Actions.FORWARD: Text.FORWARD_REFUSED,
}


def say_actions(language: str, actions: Actions, *, ended: bool, given: bool = False) -> str:
    """Return a sentence that these actions have ended, were never permitted, or are `given` now.

    Returns "" if none of the actions has a name for users.
    """
    if not ended and not given:
        return _NEVER_HELD[actions].say(language)
    words = [word.say(language) for action, word in _ACTION_WORDS.items() if actions & action]
    if not words:
        return ""
    text = Text.ACTIONS_GIVEN if given else Text.ACTIONS_ENDED
    return text.say(language, actions=(", " if language == ENGLISH else "、").join(words))
