"""Waits until pages are idle, and runs the accessibility rules on them."""

from pathlib import Path
from typing import Any, Final, Self

from browser import PATIENCE_MS
from playwright.sync_api import Error, Locator, Page, Request, expect
from product import wait_until

AXE: Final = Path(__file__).resolve().parent.parent / "console" / "node_modules" / "axe-core" / "axe.min.js"
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

#: Resolves when fonts are loaded and two consecutive frames were drawn without an added, removed or restyled element.
#: Endless animations such as a spinner are ignored.
AT_REST: Final = """async (patience) => {
  const deadline = Date.now() + patience;
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const moving = () => document.getAnimations().filter((one) =>
    one.playState === 'running' && Number.isFinite(Number(one.effect?.getComputedTiming().endTime ?? 0)));
  await document.fonts.ready;
  for (let still = 0; still < 2; ) {
    await frame();
    const waiting = [
      ...moving().map((one) => `${one.animationName ?? one.transitionProperty} of ${one.effect.target?.outerHTML}`),
      ...[...document.querySelectorAll('[data-entering], [data-exiting]')].map((one) => `way of ${one.outerHTML}`),
    ];
    still = waiting.length ? 0 : still + 1;
    if (Date.now() > deadline) throw new Error(`no rest: ${waiting.map((one) => one.slice(0, 200))}`);
  }
}"""


def at_rest(page: Page) -> None:
    """Wait until the page looks final: right font, no running transition."""
    page.evaluate(AT_REST, PATIENCE_MS)


#: Resolves when the page is idle.
IDLE: Final = "patience => new Promise((resolve) => requestIdleCallback(() => resolve(), { timeout: patience }))"


#: What the page shows instead of something that it waits for.
LOADING: Final = "main [aria-busy=true], main .pt-skeleton"


class Requests:
    """The requests of a page. They are complete when all are answered and the idle page sends no further request."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._open: set[Request] = set()
        self._begun = 0

    def __enter__(self) -> Self:
        self._page.on("request", self._begin)
        self._page.on("requestfinished", self._end)
        self._page.on("requestfailed", self._end)
        return self

    def __exit__(self, *_: object) -> None:
        self._page.remove_listener("request", self._begin)
        self._page.remove_listener("requestfinished", self._end)
        self._page.remove_listener("requestfailed", self._end)

    def _begin(self, request: Request) -> None:
        self._open.add(request)
        self._begun += 1

    def _end(self, request: Request) -> None:
        self._open.discard(request)

    def complete(self) -> None:
        """Wait until all requests are complete. Answers are rendered first, because rendering may send further
        requests.
        """
        wait_until(self._rest, PATIENCE_MS / 1_000, message="an answer to every request of the page")

    def _rest(self) -> bool:
        begun = self._begun
        try:
            at_rest(self._page)
            self._page.evaluate(IDLE, PATIENCE_MS)
        except Error as error:
            if "context was destroyed" not in error.message:
                raise
            return False  # another document replaced this document
        return begun == self._begun and not self._open


def settled(page: Page, address: str) -> None:
    """Open a screen and wait until it has loaded everything."""
    with Requests(page) as requests:
        page.goto(address)
        page.get_by_role("heading", level=1).first.wait_for(state="attached")
        requests.complete()
    expect(page.locator(LOADING)).to_have_count(0)
    at_rest(page)


def moved(page: Page, address: str) -> None:
    """Change from an open screen to another one of the console, as a link does, and wait until it has loaded
    everything. Much quicker than `settled`.
    """
    with Requests(page) as requests:
        page.evaluate("address => history.pushState({}, '', address)", address)
        requests.complete()
    expect(page.locator(LOADING)).to_have_count(0)
    at_rest(page)


def axe_findings(page: Page, part: Locator | None = None) -> list[str]:
    """Return the accessibility findings in a part of the page, by default in the whole page, once it is idle."""
    at_rest(page)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    run = "(part, rules) => axe.run(part, {runOnly: rules, resultTypes: ['violations']})"
    result: dict[str, Any]
    if part is None:
        result = page.evaluate(f"rules => ({run})(document, rules)", RULES)
    else:
        # Rules about the page as a whole do not apply to a part of it.
        result = part.evaluate(run, [rule for rule in RULES if rule != "best-practice"])
    return [
        f"{page.url}: {violation['id']}: {violation['nodes'][0]['html'][:160]} {_reason(violation['nodes'][0])}"
        for violation in result["violations"]
    ]


def _reason(node: dict[str, Any]) -> str:
    checks = [*node.get("any", ()), *node.get("all", ()), *node.get("none", ())]
    return "; ".join(str(check["message"]) for check in checks)[:300]
