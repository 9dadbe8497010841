"""A user reads one language over SSH: their own choice, else their client's, else the installation's."""

import re
from dataclasses import dataclass
from uuid import uuid4

import pytest

from peers.ssh_proxy import World, run
from peers.terminal import Terminal
from postern.contracts.events import RequestRefused, SessionStarted
from postern.contracts.terminals import ProxySettings, TerminateSession
from postern.proxies.core.language import language_of_client
from postern.proxies.core.texts import Text
from postern.proxies.ssh.menu_texts import MenuText

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_ENGLISH_SENTENCE = re.compile(r"[A-Za-z]{3,} [a-z]{3,}")


@dataclass(frozen=True)
class Case:
    chosen: str
    locale: dict[str, str]
    installation: str
    expected: str


CASES = {
    "chosen zh": Case("zh-hans", {"LANG": "en_US.UTF-8"}, "en", "zh-hans"),
    "chosen en": Case("en", {"LANG": "zh_CN.UTF-8"}, "zh-hans", "en"),
    "LANG zh": Case("", {"LANG": "zh_CN.UTF-8"}, "en", "zh-hans"),
    "LANG en": Case("", {"LANG": "en_US.UTF-8"}, "zh-hans", "en"),
    "LC_MESSAGES before LANG": Case("", {"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "zh-hans", "en"),
    "LC_ALL before both": Case("", {"LANG": "en_US", "LC_MESSAGES": "en_US", "LC_ALL": "zh_TW.UTF-8"}, "en", "zh-hans"),
    "nothing, installation zh": Case("", {}, "zh-hans", "zh-hans"),
    "nothing, installation en": Case("", {}, "en", "en"),
    "a language that there is not": Case("", {"LANG": "de_DE.UTF-8"}, "en", "en"),
    "C names no language": Case("", {"LANG": "C.UTF-8"}, "en", "en"),
}

SENT = ("-o", "SendEnv=LANG", "-o", "SendEnv=LC_ALL", "-o", "SendEnv=LC_MESSAGES")


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest, world: World) -> Case:
    chosen: Case = request.param
    world.alice.language = chosen.chosen
    world.plane.settings = world.proxy.settings.current = ProxySettings(language=chosen.installation)
    # Data is shown unchanged, whatever the language.
    world.alice.name, world.asset.comment = "alice", ""
    return chosen


def in_locale(case: Case, argv: list[str]) -> list[str]:
    """Start the client with exactly the case's locale."""
    names = ("LANG", "LC_ALL", "LC_MESSAGES")
    return [
        "env", *(part for name in names for part in ("-u", name)),
        *(f"{name}={value}" for name, value in case.locale.items()), *argv,
    ]  # fmt: skip


def only(case: Case, output: bytes) -> None:
    """Check that there is text in the expected language, and none in the other."""
    text = _ESCAPES.sub("", output.decode())
    # The client's own messages and the shell's are not from Postern.
    lines = [line for line in text.splitlines() if not line.startswith(("Connection to", "channel ", "mux_"))]
    said = "\n".join(lines)
    if case.expected == "en":
        assert not _CHINESE.search(said), said
        assert _ENGLISH_SENTENCE.search(said), said
    else:
        assert not _ENGLISH_SENTENCE.search(said), said
        assert _CHINESE.search(said), said


async def test_menu_its_refusals_and_its_sessions_use_one_language(world: World, case: Case) -> None:
    login = in_locale(case, world.proxy.ssh("alice", options=("-tt", *SENT)))
    say = lambda text, **values: re.escape(text.say(case.expected, **values))  # noqa: E731
    async with Terminal(login, columns=120, rows=50) as terminal:
        await terminal.expect(say(MenuText.PROMPT))
        for typed in ("?\r", "/nothing-like-it\r", "/\r", "99\r"):
            await terminal.type(typed)
            await terminal.expect(say(MenuText.PROMPT))
        await terminal.type("1\r")
        started = await world.plane.event(SessionStarted)
        order = TerminateSession(
            order_id=uuid4(), session_id=started.session_id, by="ann", reason="terminated", message_zh="", message_en=""
        )
        world.proxy.registry.carry_out(order)
        await terminal.expect(say(Text.END_TERMINATED))
        await terminal.expect(say(MenuText.BACK))
        await terminal.type("q\r")
        await terminal.expect(say(MenuText.GOODBYE))
    # Between "connecting" and the end there is output of the host's shell.
    before, _, rest = terminal.seen.partition(Text.CONNECTING.say(case.expected).partition("{")[0].encode())
    after = rest[rest.index(Text.END_TERMINATED.say(case.expected).encode()) :]
    only(case, before)
    only(case, after)


async def test_refusals_while_connecting_use_the_same_language(world: World, case: Case) -> None:
    world.asset.port = 1  # no listener there
    refused = await run(in_locale(case, world.proxy.ssh(world.login, "true", options=SENT)))
    assert refused.status == 255
    only(case, refused.err)


async def test_control_plane_is_asked_in_the_same_language(world: World, case: Case) -> None:
    done = await run(in_locale(case, world.proxy.ssh(world.login, "true", options=SENT)))
    assert done.status == 0, done.err
    asked = {type(message).__name__: message for _path, message in world.plane.calls}
    languages = {kind: asked[kind].language for kind in ("AuthorizeRequest", "HostKeySeen", "CredentialRequest")}
    assert set(languages.values()) == {case.expected}, languages


async def test_language_before_sign_in_reveals_nothing_about_an_account(world: World) -> None:
    """The control plane is away: a client with alice's name reads the same language as a stranger."""
    world.proxy.settings.current = ProxySettings(language="en")
    world.alice.language = "zh-hans"
    world.plane.down = True
    banners = []
    for name in ("alice", "nobody"):
        argv = [word.replace("LogLevel=ERROR", "LogLevel=INFO") for word in world.proxy.ssh(name, "true")]
        banners.append((await run(argv)).err)
    messages = [[line for line in banner.splitlines() if b"temporarily unavailable" in line] for banner in banners]
    assert messages[0] == messages[1] != []
    assert not _CHINESE.search(b"".join(banners).decode())


async def test_refused_forwarding_is_audited_when_the_language_waits_for_a_channel(world: World) -> None:
    world.alice.language = ""
    done = await run(world.proxy.ssh(world.login, "true", options=("-R", "0:127.0.0.1:1")))
    assert done.status == 0, done.err
    refused = await world.plane.event(RequestRefused)
    assert refused.request == "tcpip-forward"
    assert (await world.plane.event(SessionStarted)).session_id == refused.session_id


async def test_refused_forwarding_is_audited_without_any_channel(world: World) -> None:
    world.alice.language = ""
    argv = world.proxy.ssh(world.login, options=("-N", "-R", "0:127.0.0.1:1", "-o", "ExitOnForwardFailure=no"))
    async with Terminal(argv):
        assert (await world.plane.event(RequestRefused)).request == "tcpip-forward"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({b"LANG": b"zh"}, "zh-hans"),
        ({b"LANG": b"ZH-cn.utf8"}, "zh-hans"),
        ({b"LANG": b"en@euro"}, "en"),
        ({b"LANG": b"\xff\xfe"}, ""),
        ({b"LANG": b"english"}, ""),
        ({b"LC_ALL": b"C", b"LANG": b"zh_CN.UTF-8"}, ""),
        ({b"LC_ALL": b"", b"LANG": b"zh_CN.UTF-8"}, "zh-hans"),
        ({b"LC_TIME": b"zh_CN.UTF-8"}, ""),
        ({}, ""),
    ],
)
def test_locale_names_its_language(environment: dict[bytes, bytes], language: str) -> None:
    assert language_of_client(environment) == language
