"""A user created by an English-speaking administrator, with their own ssh client: which language they read."""

import re
from collections.abc import Iterator

import pytest
from product import wait_until
from test_ssh_story import Terminal, run
from world import ASSET, World

_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
_ENGLISH = re.compile(r"[A-Za-z]{3,} [a-z]{3,}")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")
SENT = ("-o", "SendEnv=LANG", "-o", "SendEnv=LC_ALL")

#: Chosen language, the client's LANG, expected language. The installation's language is Chinese, the default.
CASES = {
    "chosen zh": ("zh-hans", "en_US.UTF-8", "zh"),
    "chosen en": ("en", "zh_CN.UTF-8", "en"),
    "LANG zh": ("", "zh_CN.UTF-8", "zh"),
    "LANG en": ("", "en_US.UTF-8", "en"),
    "nothing": ("", "", "zh"),
}


@pytest.fixture
def speaking(world: World) -> Iterator[World]:
    """The user Zhang, whose name is written in Latin letters meanwhile, because names are shown unchanged."""
    world.admin.patch(f"/api/v1/users/users/{world.zhang_id}/", {"name": "zhang"})
    yield world
    world.zhang().patch("/api/v1/users/profile/", {"language": "en"})
    world.admin.patch(f"/api/v1/users/users/{world.zhang_id}/", {"name": "张伟"})


def only(language: str, output: str) -> None:
    lines = [line for line in _ESCAPES.sub("", output).splitlines() if not line.startswith("Connection to")]
    text = "\n".join(lines)
    other, own = (_CHINESE, _ENGLISH) if language == "en" else (_ENGLISH, _CHINESE)
    assert not other.search(text), text
    assert own.search(text), text


def test_created_user_has_no_chosen_language(world: World) -> None:
    made = world.admin.post(
        "/api/v1/users/users/",
        {"name": "Nina", "username": "nina", "email": "nina@example.invalid", "password_strategy": "custom",
         "password": "harbour-Candle-window-31"},
    )  # fmt: skip
    nina = world.product.api("nina", "harbour-Candle-window-31", language="")
    assert nina.get("/api/v1/users/profile/")["language"] == ""
    world.admin.delete(f"/api/v1/users/users/{made['id']}/")


@pytest.mark.parametrize(("chosen", "lang", "spoken"), CASES.values(), ids=CASES.keys())
def test_menu_refusals_and_ends_use_one_language(speaking: World, chosen: str, lang: str, spoken: str) -> None:
    world = speaking
    world.zhang().patch("/api/v1/users/profile/", {"language": chosen})
    locale = ["env", "-u", "LANG", "-u", "LC_ALL", "-u", "LC_MESSAGES", *([f"LANG={lang}"] if lang else [])]

    # Refusals: texts of the control plane.
    for login in ("zhang@deploy@nowhere", f"zhang@nobody@{ASSET}"):
        refused = run([*locale, *world.ssh("true", login=login, options=SENT)])
        assert refused.returncode == 255
        only(spoken, refused.stderr)

    # The menu, and the end of a session that an administrator terminates.
    before = {row["id"] for row in world.sessions()}
    terminal = Terminal([*locale, *world.ssh(login="zhang", options=("-tt", *SENT))])
    terminal.shows(prompt := "asset> " if spoken == "en" else "资产> ")
    terminal.type("?\r")
    terminal.shows("SYSTEMUSER=ASSET@127.0.0.1" if spoken == "en" else "系统用户=资产@127.0.0.1")
    shown = terminal.output.decode()
    only(spoken, shown.replace("Default", "").replace(prompt, f"{prompt}\n"))
    terminal.type("1\r")

    def live() -> str:
        rows = (row for row in world.sessions(is_finished="0") if row["id"] not in before)
        return next((str(row["id"]) for row in rows if row["state"] == "active"), "")

    session = wait_until(live, message="a live session")
    world.admin.post("/api/v1/terminal/tasks/kill-session/", [session], 200)
    terminal.shows("back in the asset menu" if spoken == "en" else "返回资产列表")
    terminal.type("q\r")
    assert terminal.ends() == 0
    ended = "terminated by" if spoken == "en" else "已被 Administrator(admin)"
    assert ended in terminal.output.decode()
    only(spoken, terminal.output.decode().rpartition("\x07")[2][-200:])


def test_strangers_read_the_installations_language_whatever_name_they_use(speaking: World) -> None:
    world = speaking
    world.zhang().patch("/api/v1/users/profile/", {"language": "en"})
    messages = []
    for name in ("zhang", "no-such-person"):
        argv = [word.replace("LogLevel=ERROR", "LogLevel=INFO") for word in world.ssh("true", login=name)]
        argv[1:1] = ["-o", "PubkeyAuthentication=no", "-o", "BatchMode=yes"]
        messages.append(run(argv).stderr.replace(name, "X"))
    assert messages[0] == messages[1]
