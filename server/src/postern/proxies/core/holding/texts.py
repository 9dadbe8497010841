"""Sentences about command filters for the user of a terminal, in addition to those of `core.texts`."""

from typing import Final

from postern.contracts.command_control import CommandAction, CommandDecision
from postern.kernel.command_control.verdict import Reason
from postern.proxies.core.spoken import Spoken


class Text(Spoken):
    """What the input gate and the filters of requests say."""

    DENIED = (
        "命令过滤器“{filter}”不允许此命令，命令未执行。可联系管理员。",
        "The command filter “{filter}” does not allow this. Nothing was run. Ask an administrator if you need it.",
    )
    UNRESOLVED = (
        "无法确定此行会执行什么（{reason}），命令过滤器因此拒绝，命令未执行。",
        "It is not certain what this line would run ({reason}), so the command filters refuse it. Nothing was run.",
    )
    UNREADABLE = (
        "此行在无法读取的情况下经过编辑，因此未执行。请等待提示符出现后重新输入。",
        (
            "This line was edited before its prompt appeared, or among other output, and cannot be read. "
            "It was not run. Type it again at the prompt."
        ),
    )
    NOT_RECORDED = (
        "会话目前无法录像，命令过滤器因此拒绝执行任何命令。可联系管理员。",
        "This session is not being recorded, so the command filters run nothing in it. Please tell an administrator.",
    )
    INVALID_RULES = (
        "此会话的命令过滤器有误，因此不执行任何命令。可联系管理员检查命令过滤器。",
        "The command filters of this session are faulty, so nothing is run. Ask an administrator to check the filters.",
    )
    NOT_CONFIRMED = (
        "命令过滤器“{filter}”要求审批，此命令未获批准，未执行。",
        "The command filter “{filter}” requires a confirmation. This command was not confirmed, so it was not run.",
    )
    ASKING = (
        "命令过滤器“{filter}”要求审批：正在等待审批人。按 Ctrl-C 撤回。",
        "The command filter “{filter}” requires a confirmation: waiting for a reviewer. Ctrl-C withdraws.",
    )
    STILL_ASKING = (
        "仍在等待审批人（已 {seconds} 秒）。按 Ctrl-C 撤回。",
        "Still waiting for a reviewer ({seconds} seconds so far). Ctrl-C withdraws.",
    )
    APPROVED = ("已获批准，命令正在执行。", "A reviewer has confirmed the command. It runs now.")
    CHANGED = (
        "等待审批期间该行已改变，命令未执行。请重新输入。",
        "The line has changed while it waited for the reviewer, so it was not run. Type it again.",
    )
    CONTROL_AWAY = (
        "Postern 暂时不可用，无法请求审批，命令未执行。稍后再试。",
        "Postern is temporarily unavailable and cannot ask a reviewer, so nothing was run. Please try again later.",
    )
    NO_ANSWER = ("没有审批人及时答复，命令未执行。", "No reviewer answered in time, so nothing was run.")
    LINES_WAIT = (
        "粘贴的 {count} 行正在逐行检查，按 Ctrl-C 放弃其余行。",
        "{count} pasted lines are checked one by one. Ctrl-C drops those that have not run.",
    )
    NEEDS_TERMINAL = (
        "命令过滤器“{filter}”要求审批。没有终端的输入无法等待审批：请使用终端（ssh -t）。",
        "The command filter “{filter}” requires a confirmation, and input without a terminal cannot wait for it. Use ssh -t.",
    )
    ANY_FILTER = ("未命名", "without name")
    REASON_UNKNOWN_PROGRAM = ("程序名来自未知的值", "the program comes from an unknown value")
    REASON_UNKNOWN_CODE = ("代码未知", "the code is unknown")
    REASON_UNKNOWN_HISTORY = ("引用了未知的历史命令", "it refers to an unknown line of the history")
    REASON_TOO_LARGE = ("内容过长或过于复杂", "it is too long or too complex")


_REASONS: Final = {
    Reason.UNKNOWN_PROGRAM: Text.REASON_UNKNOWN_PROGRAM,
    Reason.UNKNOWN_CODE: Text.REASON_UNKNOWN_CODE,
    Reason.UNKNOWN_HISTORY: Text.REASON_UNKNOWN_HISTORY,
}
_OWN: Final = {
    "invalid_rules": Text.INVALID_RULES,
    "unreadable": Text.UNREADABLE,
    "not_recorded": Text.NOT_RECORDED,
}


def filter_of(decision: CommandDecision, language: str) -> str:
    """Return the name of the filter that decided."""
    return decision.filter_name or Text.ANY_FILTER.say(language)


def refusal(decision: CommandDecision, language: str) -> str:
    """Return why a line did not run. It names the filter and never the line, which may be a password."""
    if decision.reason in _OWN:
        return _OWN[decision.reason].say(language)
    if decision.action is CommandAction.CONFIRM:
        return Text.NOT_CONFIRMED.say(language, filter=filter_of(decision, language))
    if decision.rule_id is not None:
        return Text.DENIED.say(language, filter=filter_of(decision, language))
    known = next((text for reason, text in _REASONS.items() if reason.value == decision.reason), Text.REASON_TOO_LARGE)
    return Text.UNRESOLVED.say(language, reason=known.say(language))
