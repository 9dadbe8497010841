"""Programs that are given shell code: `sh -c`, `su -c`, `ssh host …`, `at`, `make -f -`, `vim -c '!…'`, `git -c`.

Each entry finds the code in the arguments or in the input and runs it in a shell of its own.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from postern.kernel.command_control.files import written_texts
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN
from postern.kernel.command_control.verdict import Reason

SHELLS: Final = frozenset(
    {"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "pdksh", "ksh93", "yash", "hush", "rzsh", "lksh"}
)
Carrier = Callable[[Machine, Run], str | None]


def run(machine: Machine, job: Run, name: str) -> str | None:
    """What the program prints when it is one of these, None otherwise."""
    carrier = CARRIERS.get(name)
    return None if carrier is None else carrier(machine, job)


def _given(machine: Machine, job: Run, codes: Iterable[str]) -> str:
    output = ""
    for code in codes:
        if code.strip() == UNKNOWN or code.startswith(UNKNOWN):
            machine.note(Reason.UNKNOWN_CODE)
        output = machine.run_child(code, job.state)
    return output


def _shell(machine: Machine, job: Run) -> str | None:
    words = job.words[1:]
    for place, word in enumerate(words):
        if word in ("--rcfile", "--init-file"):
            for text in written_texts(job.state, words[place + 1] if place + 1 < len(words) else ""):
                machine.run_child(text, job.state)
    at, is_code, reads_input = 0, False, False
    while at < len(words) and words[at][:1] in "-+" and len(words[at]) > 1 and words[at] != "--":
        word = words[at]
        if word in ("--rcfile", "--init-file", "-O", "+O", "-o", "+o", "-C", "--init-command") or re.fullmatch(r"[-+][a-z]*o", word):
            if word in ("-C", "--init-command"):
                machine.run_child(words[at + 1] if at + 1 < len(words) else "", job.state)
            at += 1
        elif word.startswith("--command="):
            return _given(machine, job, [word.partition("=")[2]])
        elif word == "--command" or (not word.startswith("--") and word.startswith("-") and "c" in word):
            is_code = True
        reads_input = reads_input or (not word.startswith("--") and "s" in word and word.startswith("-"))
        at += 1
    rest = words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:]
    if is_code:
        if not rest:
            return UNKNOWN
        if rest[0].startswith(UNKNOWN):
            machine.note(Reason.UNKNOWN_CODE)
        return machine.run_child(rest[0], job.state, job.stdin, arguments=tuple(rest[2:]))
    if rest and not reads_input and rest[0] not in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        for text in written_texts(job.state, rest[0]):
            if text.strip() == UNKNOWN:
                machine.note(Reason.UNKNOWN_CODE)
            machine.run_child(text, job.state, job.stdin, arguments=tuple(rest[1:]))
        return UNKNOWN
    if job.stdin is None:
        machine.nested_shell(is_local=True)
        return UNKNOWN
    if UNKNOWN in job.stdin and job.stdin.strip() == UNKNOWN:
        machine.note(Reason.UNKNOWN_CODE)
        return UNKNOWN
    return machine.run_child(job.stdin, job.state, None, arguments=tuple(rest))


def _option_codes(words: list[str], flags: tuple[str, ...]) -> Iterator[str]:
    """Values of options: `-c code`, `-ccode`, `--command=code`, `--command code`."""
    for place, word in enumerate(words):
        for flag in flags:
            if word == flag and place + 1 < len(words):
                yield words[place + 1]
            elif flag.startswith("--") and word.startswith(flag + "="):
                yield word.partition("=")[2]
            elif len(flag) == 2 and not word.startswith("--"):  # noqa: PLR2004 - `-c`
                if word.startswith(flag):
                    yield word[2:]
                elif place + 1 < len(words) and re.fullmatch(r"-[A-Za-z]+" + flag[1], word):
                    yield words[place + 1]


def _options(*flags: str, strip: str = "") -> Carrier:
    def carrier(machine: Machine, job: Run) -> str:
        _given(machine, job, [code.removeprefix(strip) for code in _option_codes(job.words[1:], flags)])
        return UNKNOWN

    return carrier


def _su(machine: Machine, job: Run) -> str:
    codes = list(_option_codes(job.words[1:], ("-c", "--command", "--session-command")))
    if codes:
        return _given(machine, job, codes)
    if job.stdin is not None:
        return _given(machine, job, [job.stdin])
    machine.nested_shell(is_local=False)
    return UNKNOWN


def _sg(machine: Machine, job: Run) -> str:
    rest = [word for word in job.words[1:] if word != "-"]
    code = " ".join(rest[2:] if rest[1:2] == ["-c"] else rest[1:])
    return _given(machine, job, [code] if code else [])


_SSH_VALUES: Final = "BbcDEeFIiJLlmOopQRSWwP"


def _ssh(machine: Machine, job: Run) -> str:
    words, at = job.words[1:], 0
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        word = words[at]
        letter = next((place for place, mark in enumerate(word[1:], start=1) if mark in _SSH_VALUES), None)
        value = "" if letter is None else word[letter + 1 :]
        if letter is not None and not value:
            at += 1
            value = words[at] if at < len(words) else ""
        if letter is not None and word[letter] == "o":
            key, _sign, code = value.replace(" ", "=", 1).partition("=")
            if key.lower() in ("proxycommand", "localcommand", "knownhostscommand", "remotecommand"):
                machine.run_child(code, job.state)
        at += 1
    code = " ".join(words[at + 1 :])
    if code:
        return _given(machine, job, [code])
    if job.stdin is not None:
        return _given(machine, job, [job.stdin])
    machine.nested_shell(is_local=False)
    return UNKNOWN


def _stdin_code(machine: Machine, job: Run) -> str:
    """`at`, `batch`: the input is code. `-f file` as well."""
    if job.stdin is not None:
        _given(machine, job, [job.stdin])
    for path in _option_codes(job.words[1:], ("-f",)):
        _given(machine, job, written_texts(job.state, path))
    return UNKNOWN


def _crontab(machine: Machine, job: Run) -> str:
    operands = [word for word in job.words[1:] if not word.startswith("-") or word == "-"]
    texts = [job.stdin or ""] if "-" in operands or not job.words[1:] else []
    texts += [text for path in operands for text in written_texts(job.state, path)]
    for line in "\n".join(texts).split("\n"):
        fields = line.split(None, 1 if line.startswith("@") else 5)
        if fields and not line.startswith("#") and len(fields) in (2, 6):
            machine.run_child(fields[-1], job.state)
    return UNKNOWN


def _make(machine: Machine, job: Run) -> str:
    texts: list[str] = []
    paths = list(_option_codes(job.words[1:], ("-f", "--file", "--makefile")))
    for path in paths or ["Makefile", "makefile", "GNUmakefile"]:
        texts += [job.stdin or UNKNOWN] if path in ("-", "/dev/stdin") else written_texts(job.state, path)
    for text in texts:
        if text.strip() == UNKNOWN:
            machine.note(Reason.UNKNOWN_CODE)
        for line in re.findall(r"(?:^\t|;)\s*[@+-]*(.+)", text, re.MULTILINE):
            machine.run_child(line.replace("$$", "$"), job.state)
    evaluated = [*_option_codes(job.words[1:], ("--eval", "-E")), *texts]
    for code in (found for text in evaluated for found in re.findall(r"\$\(shell ([^)]*)\)", text)):
        machine.run_child(code, job.state)
    for text in _option_codes(job.words[1:], ("--eval",)):
        for line in re.findall(r"[\t;]\s*[@+-]*(.+)", text):
            machine.run_child(line, job.state)
    return UNKNOWN


def _editor(machine: Machine, job: Run) -> str:
    """vim, less, ed: commands after `!`, given with -c, +, --cmd, or as input."""
    codes = list(_option_codes(job.words[1:], ("-c", "--cmd", "-S", "-s")))
    codes += [word[1:] for word in job.words[1:] if word.startswith("+")]
    if job.stdin is not None:
        codes += job.stdin.split("\n")
    for code in codes:
        for part in re.split(r"\|(?![|])", code) if "system(" not in code else [code]:
            found = re.search(r"(?:^|[\s:%])!+\s*(.+)", part) or re.match(r":?\s*(?:sil\w*!?\s+)?(?:!|ter\w*\s+|r\w*\s+!|w\w*\s+!)(.+)", part)
            if found:
                machine.run_child(found[1], job.state)
        for quoted in re.findall(r"(?:system(?:list)?|termopen|jobstart|job_start)\s*\(\s*['\"]([^'\"]+)", code):
            machine.run_child(quoted, job.state)
    return UNKNOWN


def _git(machine: Machine, job: Run) -> str:
    words = job.words[1:]
    for value in _option_codes(words, ("-c",)):
        key, _sign, code = value.partition("=")
        key = key.lower()
        if key.startswith("alias."):
            if code.startswith("!"):
                machine.run_child(code[1:], job.state)
        elif key.endswith(("pager", "editor", "command", "sshcommand", "external", "textconv", "helper", "askpass", "fsmonitor", "program", "cmd")) or key.startswith("pager."):
            machine.run_child(code.removeprefix("!"), job.state)
    verb = next((word for word in words if not word.startswith("-") and "=" not in word), "")
    if verb == "bisect" and "run" in words:
        machine.run_command(Run(words[words.index("run") + 1 :], job.state))
    if verb == "submodule" and "foreach" in words:
        machine.run_child(" ".join(word for word in words[words.index("foreach") + 1 :] if word != "--recursive"), job.state)
    flags = {"rebase": ("-x", "--exec"), "filter-branch": ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter"),
             "difftool": ("-x", "--extcmd"), "grep": ("-O", "--open-files-in-pager")}.get(verb, ())  # fmt: skip
    _given(machine, job, [code for code in _option_codes(words, flags) if code])
    _given(machine, job, _option_codes(words, ("--upload-pack", "--receive-pack", "--exec")) if verb in ("clone", "fetch", "push", "pull", "ls-remote", "archive") else ())
    if verb == "config":
        rest = [word for word in words[words.index("config") + 1 :] if not word.startswith("-")]
        if len(rest) > 1 and rest[1].startswith("!"):
            machine.run_child(rest[1][1:], job.state)
        elif len(rest) > 1 and rest[0].lower().endswith(("pager", "editor", "sshcommand", "fsmonitor")):
            machine.run_child(rest[1], job.state)
    return UNKNOWN


def _tar(machine: Machine, job: Run) -> str:
    codes = _option_codes(job.words[1:], ("--checkpoint-action", "--to-command", "-I", "--use-compress-program", "--info-script", "--new-volume-script", "-F", "--rsh-command"))
    _given(machine, job, [code.removeprefix("exec=") for code in codes if code and not code.startswith(("dot", "echo"))])
    return UNKNOWN


def _tmux(machine: Machine, job: Run) -> str:
    words = job.words[1:]
    verb = next((place for place, word in enumerate(words) if re.fullmatch(r"(new|run|split|respawn|send|if|popup|display-popup|neww|splitw|pipe|bind|set-hook)[\w-]*", word)), None)
    if verb is None:
        return UNKNOWN
    rest: list[str] = []
    skips = False
    for word in words[verb + 1 :]:
        if skips:
            skips = False
        elif word.startswith("-") and len(word) > 1:
            skips = word[-1] in "sntcFxyepl"
        else:
            rest.append(word)
    if words[verb].startswith("send"):
        text = " ".join(word for word in rest if word not in ("Enter", "C-m"))
        _given(machine, job, [text])
    elif rest:
        _given(machine, job, rest if words[verb].startswith("if") else [" ".join(rest)])
    return UNKNOWN


def _screen(machine: Machine, job: Run) -> str:
    words = job.words[1:]
    if "-X" in words:
        rest = words[words.index("-X") + 1 :]
        text = " ".join(rest[1:] if rest[:1] in (["stuff"], ["exec"], ["screen"]) else rest)
        _given(machine, job, [text.replace("\\n", "\n").replace("^M", "\n")])
        return UNKNOWN
    if any(re.fullmatch(r"-[A-Za-z]*[rRx][A-Za-z]*", word) for word in words):  # comes back to a running session
        return UNKNOWN
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at][-1] in "ScehpTtL" and words[at] not in ("-L",) else 1
    if words[at:]:
        machine.run_command(Run(words[at:], job.state))
    return UNKNOWN


def _joined(machine: Machine, job: Run) -> str:
    """`watch`: the words after the options, joined, are code."""
    words, at = job.words[1:], 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-n", "--interval", "-q", "-p", "-o") else 1
    return _given(machine, job, [" ".join(words[at:])])


def _entr(machine: Machine, job: Run) -> str:
    if any("s" in word for word in job.words[1:] if word.startswith("-")):
        _given(machine, job, [job.words[-1]])
    return UNKNOWN


def _rsync(machine: Machine, job: Run) -> str:
    _given(machine, job, _option_codes(job.words[1:], ("-e", "--rsh", "--rsync-path")))
    return UNKNOWN


def _zip(machine: Machine, job: Run) -> str:
    _given(machine, job, _option_codes(job.words[1:], ("-TT", "--unzip-command")))
    return UNKNOWN


def _socat(machine: Machine, job: Run) -> str:
    for word in job.words[1:]:
        kind, _sign, code = word.partition(":")
        if kind.lower() in ("exec", "system", "shell"):
            machine.run_child(code.split(",")[0].strip("'\""), job.state)
    return UNKNOWN


def _split(machine: Machine, job: Run) -> str:
    _given(machine, job, _option_codes(job.words[1:], ("--filter", "--compress-program")))
    return UNKNOWN


def _debugger(machine: Machine, job: Run) -> str:
    codes = list(_option_codes(job.words[1:], ("-ex", "--eval-command", "-iex", "-o")))
    codes += (job.stdin or "").split("\n")
    for code in codes:
        found = re.match(r"\s*(?:shell|!|make|pipe\b.*\||platform shell)\s*(.+)", code)
        if found:
            machine.run_child(found[1], job.state)
        elif "python" in code:
            machine.run_command(Run(["python3", "-c", code.partition("python")[2]], job.state))
    if "--args" in job.words:
        machine.run_command(Run(job.words[job.words.index("--args") + 1 :], job.state))
    return UNKNOWN


def _client(machine: Machine, job: Run) -> str:
    """Database clients: lines that leave for the shell (`\\! command`, `.shell command`, `system command`)."""
    codes = [*job.words[1:], *((job.stdin or "").split("\n"))]
    for code in codes:
        for found in re.findall(r"(?:\\!|^\s*\.(?:shell|system)\b|^\s*(?:-e)?\s*system\b|^\s*!+|\\o\s*\||\\g\s*\||program\s+'|^\s*host\b)\s*([^;']+)", code, re.IGNORECASE):
            machine.run_child(found, job.state)
    _given(machine, job, _option_codes(job.words[1:], ("--pager",)))
    return UNKNOWN


def _at_words(machine: Machine, job: Run) -> str:
    """`systemctl edit`, `nix-shell --run`, `expect -c spawn`: code in a known option."""
    for code in _option_codes(job.words[1:], ("-c",)):
        for found in re.findall(r"(?:spawn|exec|system)\s+([^;\n\]]+)", code):
            machine.run_child(found, job.state)
    for line in (job.stdin or "").split("\n"):
        for found in re.findall(r"(?:spawn|exec|system)\s+([^;\n\]]+)", line):
            machine.run_child(found, job.state)
    return UNKNOWN


CARRIERS: Final[dict[str, Carrier]] = {
    **dict.fromkeys(SHELLS, _shell),
    "su": _su, "sg": _sg, "runuser": _su, "ssh": _ssh, "slogin": _ssh, "autossh": _ssh, "rsh": _ssh, "at": _stdin_code,
    "batch": _stdin_code, "crontab": _crontab, "make": _make, "gmake": _make, "git": _git, "tar": _tar, "bsdtar": _tar,
    "tmux": _tmux, "screen": _screen, "watch": _joined, "rsync": _rsync, "zip": _zip, "socat": _socat, "split": _split,
    "sort": _split, "gdb": _debugger, "lldb": _debugger, "entr": _entr, "expect": _at_words,
    "flock": _options("-c", "--command"), "script": _options("-c", "--command"), "vagrant": _options("-c", "--command"),
    "nix-shell": _options("--run", "--command"), "man": _options("-P", "--pager", "-H", "--html"), "npx": _options("-c"),
    "gcloud": _options("--command"), "scp": _options("-S"), "sftp": _options("-S"), "capsh": _options("-c"),
    "nc": _options("-e", "-c", "--exec", "--sh-exec"), "ncat": _options("-e", "-c", "--exec", "--sh-exec"),
    "ansible": _options("-a", "--args"), "salt": _options("cmd.run"), "cpulimit": _options("-c"), "tcpdump": _options("-z"),
    "logrotate": _options("-m", "--mail"), "wget": _options("--use-askpass"), "pdsh": _joined, "pssh": _joined,
    "hyperfine": _options("-p", "-c", "--prepare", "--cleanup"), "daemonize": _joined, "start-stop-daemon": _options("--exec", "-x", "--startas", "-a"),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex", "rvim", "gvim", "less", "more", "ed", "emacs", "vimdiff"), _editor),
    **dict.fromkeys(("mysql", "mariadb", "psql", "sqlite3", "ftp", "telnet", "sqlplus", "mail", "mailx", "lftp"), _client),
}  # fmt: skip
