"""What people at `ssh` read when they cannot sign in: why and what to do, the same for every name."""

from pathlib import Path

import msgspec
import pytest

from peers.ssh_answering import ssh_answering
from peers.ssh_proxy import Ran, World, run
from postern.contracts import access
from postern.contracts.access import Denial
from postern.contracts.enums import DenialCode
from postern.contracts.terminals import ProxySettings

URL = "https://bastion.test"
#: A name that exists, and one that does not.
LOGINS = ("alice@deploy@web1", "nobody@deploy@web1")
WITHOUT_KEY = ("-o", "PubkeyAuthentication=no")
ONE_PASSWORD = ("-o", "NumberOfPasswordPrompts=1")


def set_to(world: World, **changes: object) -> None:
    defaults = ProxySettings(language="en", console_url=URL)
    world.proxy.settings.current = msgspec.structs.replace(defaults, **changes)


def said(ran: Ran) -> str:
    assert ran.status == 255, ran
    return ran.err.decode()


def same(answers: list[str]) -> bool:
    """Whether names that exist and names that do not get the same, but for the name and the client's own first line."""
    bare = {
        "".join(line for line in text.replace(login, "LOGIN").splitlines(keepends=True) if "known hosts" not in line)
        for login, text in zip(LOGINS, answers, strict=True)
    }
    return len(bare) == 1


@pytest.mark.parametrize(
    ("ways", "sentence"),
    [
        ({"password_auth": False}, f"Use an SSH key, which you can add to your profile in the console {URL}"),
        ({"public_key_auth": False}, "SSH keys are switched off. Enter your password."),
        ({"public_key_auth": False, "code_auth": True}, f"or a code for SSH from your profile in the console {URL}"),
    ],
)
async def test_who_cannot_come_in_reads_once_which_way_is_off(
    world: World, tmp_path: Path, ways: dict[str, bool], sentence: str
) -> None:
    set_to(world, **ways)
    world.alice.keys.clear()
    answers = [said(await ssh_answering(world, tmp_path, ["wrong"], *ONE_PASSWORD, login=one)) for one in LOGINS]
    assert same(answers)
    assert answers[0].count(sentence) == 1, answers
    assert "Permission denied" in answers[0]


async def test_where_everything_is_off_no_password_is_asked_for(world: World, tmp_path: Path) -> None:
    set_to(world, password_auth=False, public_key_auth=False)
    ran = await ssh_answering(world, tmp_path, ["right"])
    assert f"Signing in over SSH is switched off. Open the session in the browser, in the console {URL}" in said(ran)
    assert "assword:" not in said(ran)


async def test_an_accepted_key_and_a_script_read_nothing(world: World, tmp_path: Path) -> None:
    set_to(world, password_auth=False)
    ran = await ssh_answering(world, tmp_path, [])
    assert (ran.status, ran.out) == (0, b"in\n")
    assert b"switched off" not in ran.err
    world.alice.keys.clear()
    script = await run(world.proxy.ssh(world.login, "echo in", options=("-o", "LogLevel=INFO")))
    assert script.status == 255
    assert b"switched off" not in script.err, "nobody reads it there"


async def test_a_notice_is_no_way_in(world: World, tmp_path: Path) -> None:
    """It asks nothing, so nothing reaches the control plane, and it comes once."""
    set_to(world, password_auth=False)
    world.alice.keys.clear()
    await ssh_answering(world, tmp_path, ["right"])
    asked = {path for path, _ in world.plane.calls}
    assert asked.isdisjoint({access.SIGN_IN_PASSWORD, access.SIGN_IN_CODE, access.AUTHORIZE})


async def test_a_wrong_password_is_answered_with_the_way_of_those_who_have_none(world: World, tmp_path: Path) -> None:
    set_to(world, code_auth=True)
    passwords = ["wrong", "wrong", "wrong"]
    answers = [said(await ssh_answering(world, tmp_path, passwords, *WITHOUT_KEY, login=one)) for one in LOGINS]
    assert same(answers)
    sentence = f"get a code for SSH from your profile there, and enter it as the password: {URL}"
    assert answers[0].count(sentence) == 1
    assert answers[0].count("'s password:") == 3
    set_to(world)
    ran = await ssh_answering(world, tmp_path, ["wrong"], *ONE_PASSWORD, *WITHOUT_KEY)
    assert "incorrect" not in said(ran), "without codes there is nothing to say"


@pytest.mark.parametrize(
    "code",
    [
        DenialCode.METHOD_DISABLED,
        DenialCode.USER_EXPIRED,
        DenialCode.USER_INACTIVE,
        DenialCode.PASSWORD_MUST_CHANGE,
        DenialCode.NOTICE_UNCONFIRMED,
        DenialCode.NOT_ADMITTED,
        DenialCode.MFA_UNSET,
    ],
)
async def test_after_a_right_password_the_reason_of_the_control_plane_is_shown(
    world: World, tmp_path: Path, code: DenialCode
) -> None:
    set_to(world, code_auth=True)
    world.alice.denial = Denial(code=code, message=f"该账号暂时无法登录：{URL}")
    ran = await ssh_answering(world, tmp_path, ["right"], *ONE_PASSWORD, *WITHOUT_KEY)
    assert f"该账号暂时无法登录：{URL}" in said(ran)
    assert "incorrect" not in said(ran)


async def test_chinese_arrives_as_chinese_at_openssh(world: World, tmp_path: Path) -> None:
    """OpenSSH writes the instruction of a question in octal, unless it is ASCII."""
    world.alice.keys.clear()
    set_to(world, password_auth=False, language="zh-hans")
    closed = said(await ssh_answering(world, tmp_path, [], *ONE_PASSWORD))
    assert f"管理员已关闭 SSH 密码登录。使用 SSH 密钥登录：登录控制台 {URL}" in closed
    set_to(world, password_auth=False, code_auth=True, language="zh-hans")
    asked = said(await ssh_answering(world, tmp_path, ["wrong"], *ONE_PASSWORD))
    assert f"SSH 不接受密码。可使用 SSH 密钥，或在浏览器中登录控制台 {URL}" in asked
    assert "SSH 登录码：" in asked
    set_to(world, language="zh-hans")
    world.alice.code, world.alice.language = "123456", "zh-hans"
    factor = said(await ssh_answering(world, tmp_path, ["right", "000000"], *ONE_PASSWORD, *WITHOUT_KEY))
    assert "输入身份验证器中的 6 位验证码。" in factor
