"""Questions asked in the page while a session is opened (manual sign-in at the target)."""

import asyncio
from collections.abc import Callable

from postern.contracts.browser import Answer, Prompt
from postern.proxies.core.targets.ports import PromptCancelled
from postern.proxies.terminal.link import BrowserLink, LinkGone
from postern.proxies.terminal.texts import Text


class Questions:
    """Asks questions over the currently attached link and waits for the answers."""

    def __init__(self, link: Callable[[], BrowserLink | None], language: str, patience_s: float) -> None:
        self._link = link
        self._language = language
        self._patience_s = patience_s
        self._waiting: dict[int, asyncio.Future[str]] = {}
        self._asked = 0

    async def ask(self, text: str, echo: bool) -> str:
        """Ask a question. Implements `core.targets.ports.Prompter`. Raises PromptCancelled."""
        link = self._link()
        if link is None:
            raise PromptCancelled("")
        self._asked += 1
        number = self._asked
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            await link.say(Prompt(prompt_id=number, text=text, echo=echo))
            async with asyncio.timeout(self._patience_s):
                return await answer
        except (LinkGone, TimeoutError) as error:
            raise PromptCancelled(Text.TOO_LATE.say(self._language)) from error
        finally:
            del self._waiting[number]

    def answer(self, message: Answer) -> None:
        """Process the page's answer. An answer without a question is ignored."""
        waiting = self._waiting.get(message.prompt_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(message.value)

    def cancel(self) -> None:
        """Cancel open questions at the end of the session."""
        for answer in self._waiting.values():
            answer.cancel()
