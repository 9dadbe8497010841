"""Command filters in the browser terminal: the same gate as in SSH sessions, with a real shell and a real recording."""

from pathlib import Path

from postern.contracts.command_control import CommandAction, CommandRuleKind
from postern.contracts.enums import RiskLevel
from postern.contracts.events import CommandSeen, RecordingSealed
from proxies.holding.filters import control, rule
from proxies.holding.stage import takes_keys
from proxies.terminal.plant import Plant


async def test_denied_lines_do_not_run_and_the_page_is_told(plant: Plant, tmp_path: Path) -> None:
    plant.asset.command_control = control(
        rule("touch", name="no touching"), rule(r"\bmkfs\b", kind=CommandRuleKind.REGEX)
    )
    async with plant.page() as page:
        await plant.open(page)
        before = page.output.count(b"$ ")
        await page.type(f"cd {tmp_path}\r".encode())
        await page.until(lambda: page.output.count(b"$ ") > before and page.output.endswith(b"$ "))
        await page.type(b"ouch Q\x01t\x05\r")
        notice = await page.message("notice")
        assert notice["code"] == "command"
        assert "The command filter “no touching” does not allow this" in notice["message"]
        await plant.plane.until(lambda: takes_keys(plant.registry))
        await page.type(b": > P1\r: > P2\rtouch Q\r: > P3\r")
        await page.until(lambda: sum(message["type"] == "notice" for message in page.messages) == 2)
        await plant.plane.until(lambda: takes_keys(plant.registry))
        await page.type(b"exit\r")
        await page.message("ended")
    folder = plant.socket.parent
    assert sorted(path.name for path in folder.glob("[PQ]*")) == ["P1", "P2"]
    event = await plant.plane.event(CommandSeen, risk_level=RiskLevel.DANGEROUS)
    assert (event.input, event.decision.action) == ("touch Q", CommandAction.DENY)
    await plant.plane.event(RecordingSealed)
