"""Sign-in on targets with unusual questions: which are answered, and that the password is not wasted."""

import random

import pytest

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.odd_target import OddTarget, say_hello
from peers.ssh_proxy import Ran, World, run
from postern.proxies.ssh_connections.sign_in_methods import (
    KEYBOARD,
    MAX_FAILED_TRIES,
    PASSWORD,
    PUBLIC_KEY,
    MethodWalk,
    Question,
    question_of,
)

ASKED = "Password: "


async def reach(world: World, target: OddTarget) -> Ran:
    user = FakeSystemUser("su", "root", password=target.password)
    world.plane.add_asset(FakeAsset("odd", "127.0.0.1", target.port, [user]))
    return await run(world.proxy.ssh("alice@su@odd", "anything"))


@pytest.mark.parametrize(
    ("text", "hidden", "question"),
    [
        ("Password: ", True, Question.PASSWORD), ("(root@host) Password: ", True, Question.PASSWORD),
        ("root@host's password:", True, Question.PASSWORD), ("Passwort: ", True, Question.PASSWORD),
        ("Mot de passe : ", True, Question.PASSWORD), ("密码：", True, Question.PASSWORD),
        ("Пароль: ", True, Question.PASSWORD), ("パスワード: ", True, Question.PASSWORD),
        ("Password: ", False, Question.ANOTHER),
        ("Verification code: ", True, Question.ANOTHER), ("One-time password (OATH) for `root': ", True, Question.ANOTHER),
        ("Enter your Token_Response: ", True, Question.ANOTHER), ("Favourite colour? ", True, Question.ANOTHER),
        ("New password: ", True, Question.NEW_PASSWORD), ("Retype new password: ", True, Question.NEW_PASSWORD),
        ("Enter new UNIX password: ", True, Question.NEW_PASSWORD),
        ("", True, Question.ANOTHER),
    ],
)  # fmt: skip
def test_only_a_question_for_the_password_is_answered_with_it(text: str, hidden: bool, question: Question) -> None:
    assert question_of([(text, not hidden)], "", answered=False) is question


def test_password_is_sent_once_and_only_to_a_question_for_it() -> None:
    assert question_of([], "Welcome", answered=False) is Question.NOTHING
    assert question_of([(ASKED, False)], "", answered=True) is Question.ANOTHER
    assert question_of([(ASKED, False), ("Code: ", False)], "", answered=False) is Question.ANOTHER
    expired = "You are required to change your password immediately (password expired)."
    assert question_of([("Current password: ", False)], expired, answered=True) is Question.NEW_PASSWORD


async def test_messages_without_a_question_are_skipped(world: World) -> None:
    async with OddTarget(say_hello, methods="kbdint") as target:
        target.rounds = [("Welcome", "", []), ("", "", [(ASKED, False)]), ("Last login: never", "", [])]
        result = await reach(world, target)

    assert (result.status, result.out) == (0, b"hello\n")
    assert target.answers == [[], ["hunter2"], []]


async def test_endless_messages_end_the_sign_in(world: World) -> None:
    async with OddTarget(say_hello, methods="kbdint") as target:
        target.rounds = [("again", "", [])] * 1000
        result = await reach(world, target)

    assert result.status == 255
    assert len(target.answers) < 10


@pytest.mark.parametrize(
    "prompts",
    [
        [("Verification code: ", False)],
        [("Favourite colour? ", True)],
        [(ASKED, False), ("Verification code: ", False)],
    ],
)
async def test_question_that_is_not_for_the_password_is_not_answered_and_is_named(
    world: World, prompts: list[tuple[str, bool]]
) -> None:
    async with OddTarget(say_hello, methods="kbdint") as target:
        target.rounds = [("", "", prompts)]
        result = await reach(world, target)

    assert result.status == 255
    assert target.answers == []
    output = result.err.decode()
    assert "keyboard-interactive: the host asks for something other than the password" in output
    assert prompts[0][0].strip() in output


async def test_second_question_after_the_password_is_not_answered_with_it(world: World) -> None:
    async with OddTarget(say_hello, methods="both") as target:
        target.rounds = [("", "", [(ASKED, False)]), ("", "", [("Code: ", False)])]
        target.methods = "kbdint"
        result = await reach(world, target)

    assert result.status == 255
    assert target.answers == [["hunter2"]]


async def test_password_method_is_tried_if_keyboard_interactive_asks_for_something_else(world: World) -> None:
    async with OddTarget(say_hello, methods="both") as target:
        target.rounds = [("", "", [("Verification code: ", False)])]
        result = await reach(world, target)

    assert (result.status, result.out) == (0, b"hello\n")


async def test_request_to_change_the_password_is_reported_and_not_answered(world: World) -> None:
    async with OddTarget(say_hello, methods="both") as target:
        target.expired = True
        result = await reach(world, target)

    assert result.status == 255
    assert "password: the password of this account has expired" in result.err.decode()
    assert (target.tries, target.answers) == (1, [])


async def test_text_of_a_target_cannot_control_the_terminal(world: World) -> None:
    async with OddTarget(say_hello, methods="kbdint") as target:
        target.rounds = [("", "", [("\x1b]0;owned\x07\r\n" + "x" * 10_000, False)])]
        result = await reach(world, target)

    assert b"]0;owned" in result.err
    assert b"\x1b" not in result.err
    assert b"\x07" not in result.err
    assert len(result.err) < 1_000


def test_no_server_gets_more_than_two_failed_tries_or_a_refused_password_twice() -> None:
    """Ten thousand servers that answer at random."""
    chance = random.Random(4252)
    names = [PUBLIC_KEY, PASSWORD, KEYBOARD, "hostbased", "gssapi-with-mic"]
    for _ in range(10_000):
        walk = MethodWalk()
        failed, refused = 0, False
        walk.answered(chance.sample(names, chance.randint(0, 5)), partial=chance.random() < 0.1)
        requests = 0
        while (method := walk.next()) is not None:
            requests += 1
            holds = chance.random() < 0.8
            if not holds:
                continue
            if method != PUBLIC_KEY:
                assert not refused, "the refused password was shown again"
                walk.password_shown()
            partial = chance.random() < 0.4
            failed += not partial
            refused |= method != PUBLIC_KEY and not partial
            walk.answered(chance.sample(names, chance.randint(0, 5)), partial=partial)
        assert failed <= MAX_FAILED_TRIES
        assert requests <= 3
        assert walk.story("en")
