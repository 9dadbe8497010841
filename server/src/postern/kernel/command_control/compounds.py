"""Groups, loops, conditions and functions.

A compound command is read twice: muted, to learn where it ends and what is redirected into it, then for good.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from postern.kernel.command_control.block import Block
from postern.kernel.command_control.files import input_of, write_output
from postern.kernel.command_control.machine import Run
from postern.kernel.command_control.nesting import closing
from postern.kernel.command_control.reader import Token, TokenKind
from postern.kernel.command_control.simple import Parts, fill_here
from postern.kernel.command_control.state import put
from postern.kernel.command_control.verdict import Reason

STARTS: Final = frozenset({"if", "while", "until", "for", "foreach", "select", "case", "{", "[[", "switch"})
_THEN: Final = frozenset({"then", "elif", "else", "fi", "end"})
_DO: Final = frozenset({"do", "end", "{"})
_DONE: Final = frozenset({"done", "end"})
#: Functions that the shell calls by itself.
_HOOKS: Final = frozenset(
    {
        "command_not_found_handle",
        "command_not_found_handler",
        "precmd",
        "preexec",
        "chpwd",
        "periodic",
        "zshexit",
        "fish_prompt",
    }
)
_DEEPEST: Final = 16
#: Lines that are read by a loop around `read`.
_MAX_TURNS: Final = 20


def run(block: Block, token: Token, stdin: str | None) -> str:
    """Runs the compound command that begins with `token`. Returns what it prints."""
    machine = block.machine
    if machine.depth >= _DEEPEST:
        machine.note(Reason.TOO_DEEP)
        return ""
    machine.depth += 1
    try:
        if machine.muted:
            output = _body(block, token)
            _redirected(block)
            return output
        return _run_twice(block, token, stdin)
    finally:
        machine.depth -= 1


def _run_twice(block: Block, token: Token, stdin: str | None) -> str:
    parts = _skim(block, token)
    state, outer = block.state, block.stdin
    expander = block.expander
    redirections = tuple((sign, expander.text(target)) for sign, target in parts.redirections)
    block.stdin = input_of(expander, parts, redirections, state, stdin)
    is_fed = stdin is not outer
    is_uncertain = is_fed or parts.is_piped or token.plain not in ("{", "for", "foreach")
    block.uncertain += is_uncertain
    try:
        output = _body(block, token)
        _redirected(block)
    finally:
        block.stdin = outer
        block.uncertain -= is_uncertain
    if any(">" in sign for sign, _target in redirections):
        block.machine.run_command(Run([], state, None, redirections))
    return write_output(state, redirections, output)


def _skim(block: Block, token: Token) -> Parts:
    """Reads to the end of the command without effect."""
    machine, reader = block.machine, block.reader
    text, place, is_open, state = reader.text, reader.place, reader.is_open, block.state
    was_open, aliases = block.is_open, block.aliases
    machine.muted += 1
    machine.meter.spend(state.size)
    block.state = state.copy()
    try:
        _body(block, token)
        parts = _redirected(block)
        following = reader.peek()
        parts.is_piped = following.kind is TokenKind.OPERATOR and following.text in ("|", "|&", "&", "&|", "&!")
        return parts
    finally:
        machine.muted -= 1
        reader.text, reader.place, reader.is_open, reader.waiting = text, place, is_open, []
        block.state, block.is_open, block.aliases = state, was_open, aliases


def _redirected(block: Block) -> Parts:
    """The redirections behind a compound command."""
    parts = Parts()
    while True:
        token = block.reader.peek()
        if token.kind is not TokenKind.REDIRECTION:
            break
        token = block.reader.next()
        parts.redirections.append((token.text.lstrip("01"), token.segments))
        if token.here is not None:
            parts.here.append(token.here)
    if parts.here:
        fill_here(block, parts.here)
    return parts


def _body(block: Block, token: Token) -> str:
    name = token.plain or "("
    if name == "(":
        return _subshell(block)
    if name == "{":
        return block.run_list(frozenset({"}"}))[0]
    if name == "if":
        return _if(block)
    if name in ("while", "until"):
        return _while(block)
    if name in ("for", "foreach", "select"):
        return _for(block, is_uncertain=name == "select")
    if name in ("case", "switch"):
        return _case(block)
    return _test(block)


def _subshell(block: Block) -> str:
    reader = block.reader
    if reader.text.startswith("(", reader.place):
        end = closing(reader.text, reader.place + 1, ")", reader.meter)
        if end >= 0 and reader.text[end + 1 : end + 2] == ")":
            block.expander.arithmetic(reader.text[reader.place + 1 : end])
            reader.place = end + 2
            return ""
    state = block.state
    block.machine.meter.spend(state.size)
    block.state = state.copy()
    output, _stop = block.run_list(frozenset(), ")")
    state.files, state.copies = block.state.files, block.state.copies
    block.state = state
    return output


def _if(block: Block) -> str:
    outputs = []
    while True:
        output, stop = block.run_list(_THEN)
        outputs.append(output)
        if stop in ("fi", "end", ""):
            return "".join(outputs)


def _while(block: Block) -> str:
    reader, stdin = block.reader, block.stdin
    lines = (stdin or "").split("\n")[:_MAX_TURNS]
    lines = lines[:-1] if len(lines) > 1 and not lines[-1] else lines
    text, place = reader.text, reader.place
    outputs: list[str] = []
    for turn in range(len(lines) if stdin is not None else 1):
        reader.text, reader.place = text, place
        block.stdin = None if stdin is None else "\n".join(lines[turn:])
        output, stop = block.run_list(_DO)
        if stop and stop != "end":
            output += block.run_list(_DONE if stop == "do" else frozenset({"}"}))[0]
        outputs.append(output)
        if block.machine.muted or block.is_open:
            break
    block.stdin = stdin
    return "".join(outputs)


@dataclass(slots=True)
class _Loop:
    name: str
    values: list[str] = field(default_factory=list)


def _for(block: Block, *, is_uncertain: bool) -> str:
    loop = _loop_head(block)
    block.skip_line_breaks()
    following = block.reader.peek()
    if following.kind is TokenKind.OPERATOR and following.text == ";":
        block.reader.next()
        block.skip_line_breaks()
    first = block.reader.peek()
    stops = _DONE
    if first.plain in ("do", "{"):
        block.reader.next()
        stops = _DONE if first.plain == "do" else frozenset({"}"})
    reader = block.reader
    text, place = reader.text, reader.place
    if not loop.values or block.machine.muted:
        block.machine.muted += 1
        state, block.state = block.state, block.state.copy()
        output, _stop = block.run_list(stops)
        block.state = state
        block.machine.muted -= 1
        return output
    block.uncertain += is_uncertain
    outputs = []
    for value in loop.values:
        reader.text, reader.place = text, place
        if loop.name:
            put(block.state.variables, loop.name, (value,))
        outputs.append(block.run_list(stops)[0])
    block.uncertain -= is_uncertain
    return "".join(outputs)


def _loop_head(block: Block) -> _Loop:
    """The name and the values of a loop. `for ((;;))` has one turn without a name."""
    reader = block.reader
    token = reader.next()
    if token.text == "(":
        end = closing(reader.text, reader.place, ")", reader.meter)
        reader.place = end + 1 if end >= 0 else len(reader.text)
        return _Loop("", [""])
    name = token.plain if token.plain and token.plain.isidentifier() else ""
    block.skip_line_breaks()
    token = reader.peek()
    if token.plain != "in" and token.text != "(":
        return _Loop(name, list(block.state.positional))
    closer = ")" if token.text == "(" else ""
    reader.next()
    values: list[str] = []
    while True:
        token = reader.peek()
        if token.kind is not TokenKind.WORD:
            break
        token = reader.next()
        values.extend(block.expander.fields(token.segments))
    if closer and token.text == ")":
        reader.next()
    return _Loop(name, values)


def _case(block: Block) -> str:
    reader = block.reader
    block.expander.text(reader.next().segments)
    block.skip_line_breaks()
    if reader.peek().plain == "in":
        reader.next()
    outputs = []
    while True:
        block.skip_line_breaks()
        token = reader.next()
        if token.kind is TokenKind.END:
            block.is_open = True
            break
        if token.plain in ("esac", "end"):
            break
        _pass_pattern(block, token)
        output, stop = block.run_list(frozenset({"esac"}), ";;")
        outputs.append(output)
        if stop in ("esac", ""):
            break
    return "".join(outputs)


def _pass_pattern(block: Block, token: Token) -> None:
    """Reads up to the `)` behind the pattern of a case."""
    while token.text != ")" and token.kind is not TokenKind.END:
        token = block.reader.next()


def _test(block: Block) -> str:
    """`[[ … ]]`: substitutions inside are run."""
    while True:
        token = block.reader.next()
        if token.kind is TokenKind.END:
            block.is_open = True
            return ""
        if token.plain == "]]":
            return ""
        if token.kind is TokenKind.WORD:
            block.expander.text(token.segments)


def define_named(block: Block) -> str:
    """`function name { … }`, with or without brackets behind the name."""
    token = block.reader.next()
    brackets = re.compile(r"[ \t]*\([ \t]*\)").match(block.reader.text, block.reader.place)
    if brackets:
        block.reader.place = brackets.end()
    return define(block, token.plain or token.text)


def define(block: Block, name: str) -> str:
    """Stores the body that follows as a function; it is not run."""
    reader, machine = block.reader, block.machine
    block.skip_line_breaks()
    start, text, state = reader.place, reader.text, block.state
    machine.muted += 1
    machine.meter.spend(state.size)
    block.state = state.copy()
    try:
        token = reader.next()
        if token.kind is TokenKind.END:
            block.is_open = True
        elif token.text == "(" or token.plain in STARTS:
            run(block, token, None)
        else:  # zsh: a single command; fish: up to `end`
            reader.place = start
            block.run_list(frozenset({"end"}))
    finally:
        machine.muted -= 1
        block.state = state
    tail = len(reader.text) - reader.place
    reader.text = text
    reader.place = len(text) - tail
    body = text[start : reader.place]
    machine.meter.spend(len(body))
    earlier = state.functions.get(name, ()) if block.uncertain else ()
    put(state.functions, name, (*earlier[:3], body))
    if name in _HOOKS and not machine.muted:
        machine.run_code(body, state.copy())
    return ""
