"""Programs with other work that can also run a command: editors, git, tar, terminals inside terminals, clients."""

import re
from typing import Final

from postern.kernel.command_control.given_code import Carrier, code_options, given_code, option_values
from postern.kernel.command_control.machine import Machine, Run
from postern.kernel.command_control.marks import UNKNOWN


def _editor(machine: Machine, job: Run) -> str:
    """vim, less, ed: commands after `!`, given with -c, +, --cmd, or as input."""
    codes = list(option_values(job.words[1:], ("-c", "--cmd", "-S", "-s", "--eval", "-eval")))
    codes += [word[1:] for word in job.words[1:] if word.startswith("+")]
    if job.stdin is not None:
        codes += job.stdin.split("\n")
    for code in codes:
        for part in re.split(r"\|(?![|])", code) if "system(" not in code else [code]:
            match = re.search(r"(?:^|[\s:%])!+\s*(.+)", part) or re.match(
                r":?\s*(?:sil\w*!?\s+)?(?:!|ter\w*\s+|r\w*\s+!|w\w*\s+!)(.+)", part
            )
            if match:
                machine.run_child(match[1], job.state)
        for quoted in re.findall(r'(?:shell-command|call-process|start-process|compile)[\w-]*\s+"([^"]+)"', code):
            machine.run_child(quoted, job.state)
        for quoted in re.findall(r"(?:system(?:list)?|termopen|jobstart|job_start)\s*\(\s*['\"]([^'\"]+)", code):
            machine.run_child(quoted, job.state)
    return UNKNOWN


def _git(machine: Machine, job: Run) -> str:
    words = job.words[1:]
    for value in option_values(words, ("-c",)):
        key, _sign, code = value.partition("=")
        key = key.lower()
        if key.startswith("alias."):
            if code.startswith("!"):
                machine.run_child(code[1:], job.state)
        elif key.endswith(
            (
                "pager",
                "editor",
                "command",
                "sshcommand",
                "external",
                "textconv",
                "helper",
                "askpass",
                "fsmonitor",
                "program",
                "cmd",
            )
        ) or key.startswith("pager."):
            machine.run_child(code.removeprefix("!"), job.state)
    verb = next((word for word in words if not word.startswith("-") and "=" not in word), "")
    if verb == "bisect" and "run" in words:
        machine.run_command(Run(words[words.index("run") + 1 :], job.state))
    if verb == "submodule" and "foreach" in words:
        machine.run_child(
            " ".join(word for word in words[words.index("foreach") + 1 :] if word != "--recursive"), job.state
        )
    flags = {"rebase": ("-x", "--exec"), "filter-branch": ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter"),
             "difftool": ("-x", "--extcmd"), "grep": ("-O", "--open-files-in-pager")}.get(verb, ())  # fmt: skip
    given_code(machine, job, [code for code in option_values(words, flags) if code])
    given_code(
        machine,
        job,
        option_values(words, ("-u", "--upload-pack", "--receive-pack", "--exec"))
        if verb in ("clone", "fetch", "push", "pull", "ls-remote", "archive")
        else (),
    )
    if verb == "config":
        rest = [word for word in words[words.index("config") + 1 :] if not word.startswith("-")]
        if len(rest) > 1 and rest[1].startswith("!"):
            machine.run_child(rest[1][1:], job.state)
        elif len(rest) > 1 and rest[0].lower().endswith(("pager", "editor", "sshcommand", "fsmonitor")):
            machine.run_child(rest[1], job.state)
    return UNKNOWN


def _tar(machine: Machine, job: Run) -> str:
    codes = option_values(
        job.words[1:],
        (
            "--checkpoint-action",
            "--to-command",
            "-I",
            "--use-compress-program",
            "--info-script",
            "--new-volume-script",
            "-F",
            "--rsh-command",
        ),
    )
    given_code(
        machine, job, [code.removeprefix("exec=") for code in codes if code and not code.startswith(("dot", "echo"))]
    )
    return UNKNOWN


def _tmux(machine: Machine, job: Run) -> str:
    words = job.words[1:]
    verb = next(
        (
            place
            for place, word in enumerate(words)
            if re.fullmatch(
                r"(new|run|split|respawn|send|if|popup|display-popup|neww|splitw|pipe|bind|set-hook)[\w-]*", word
            )
        ),
        None,
    )
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
        given_code(machine, job, [text])
    elif rest:
        given_code(machine, job, rest if words[verb].startswith("if") else [" ".join(rest)])
    return UNKNOWN


def _screen(machine: Machine, job: Run) -> str:
    words = job.words[1:]
    if "-X" in words:
        rest = words[words.index("-X") + 1 :]
        text = " ".join(rest[1:] if rest[:1] in (["stuff"], ["exec"], ["screen"]) else rest)
        given_code(machine, job, [text.replace("\\n", "\n").replace("^M", "\n")])
        return UNKNOWN
    if any(re.fullmatch(r"-[A-Za-z]*[rRx][A-Za-z]*", word) for word in words):  # comes back to a running session
        return UNKNOWN
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at][-1] in "ScehpTtL" and words[at] != "-L" else 1
    if words[at:]:
        machine.run_command(Run(words[at:], job.state))
    return UNKNOWN


def _joined(machine: Machine, job: Run) -> str:
    """`watch`: the words after the options, joined, are code."""
    words, at = job.words[1:], 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-n", "--interval", "-q", "-p", "-o") else 1
    return given_code(machine, job, [" ".join(words[at:])])


def _entr(machine: Machine, job: Run) -> str:
    if any("s" in word for word in job.words[1:] if word.startswith("-")):
        given_code(machine, job, [job.words[-1]])
    return UNKNOWN


def _rsync(machine: Machine, job: Run) -> str:
    given_code(machine, job, option_values(job.words[1:], ("-e", "--rsh", "--rsync-path")))
    return UNKNOWN


def _zip(machine: Machine, job: Run) -> str:
    given_code(machine, job, option_values(job.words[1:], ("-TT", "--unzip-command")))
    return UNKNOWN


def _socat(machine: Machine, job: Run) -> str:
    for word in job.words[1:]:
        kind, _sign, code = word.partition(":")
        if kind.lower() in ("exec", "system", "shell"):
            machine.run_child(code.split(",")[0].strip("'\""), job.state)
    return UNKNOWN


def _split(machine: Machine, job: Run) -> str:
    given_code(machine, job, option_values(job.words[1:], ("--filter", "--compress-program")))
    return UNKNOWN


def _debugger(machine: Machine, job: Run) -> str:
    codes = list(option_values(job.words[1:], ("-ex", "--eval-command", "-iex", "-o")))
    codes += (job.stdin or "").split("\n")
    for code in codes:
        match = re.match(r"\s*(?:shell|!|make|pipe\b.*\||platform shell)\s*(.+)", code)
        if match:
            machine.run_child(match[1], job.state)
        elif "python" in code:
            machine.run_command(Run(["python3", "-c", code.partition("python")[2]], job.state))
    if "--args" in job.words:
        machine.run_command(Run(job.words[job.words.index("--args") + 1 :], job.state))
    return UNKNOWN


def _client(machine: Machine, job: Run) -> str:
    r"""Database clients: lines that leave for the shell (`\\! command`, `.shell command`, `system command`)."""
    codes = [*job.words[1:], *((job.stdin or "").split("\n"))]
    for code in codes:
        for command in re.findall(
            r"(?:\\!|^\s*\.(?:shell|system)\b|^\s*(?:-e)?\s*system\b|^\s*!+|\\o\s*\||\\g\s*\||program\s+'|^\s*host\b)\s*([^;']+)",
            code,
            re.IGNORECASE,
        ):
            machine.run_child(command, job.state)
    given_code(machine, job, option_values(job.words[1:], ("--pager",)))
    return UNKNOWN


def _at_words(machine: Machine, job: Run) -> str:
    """`systemctl edit`, `nix-shell --run`, `expect -c spawn`: code in a known option."""
    for code in option_values(job.words[1:], ("-c",)):
        for command in re.findall(r"(?:spawn|exec|system)\s+([^;\n\]]+)", code):
            machine.run_child(command, job.state)
    for line in (job.stdin or "").split("\n"):
        for command in re.findall(r"(?:spawn|exec|system)\s+([^;\n\]]+)", line):
            machine.run_child(command, job.state)
    return UNKNOWN


def _copy(machine: Machine, job: Run) -> str:
    """`scp` and `sftp`: the program in place of ssh, and its options."""
    given_code(machine, job, option_values(job.words[1:], ("-S",)))
    for option in option_values(job.words[1:], ("-o",)):
        key, *rest = re.split(r"[=\s]+", option.strip(), maxsplit=1)
        if key.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            given_code(machine, job, rest)
    return UNKNOWN


TOOLS: Final[dict[str, Carrier]] = {
    "git": _git, "tar": _tar, "bsdtar": _tar, "tmux": _tmux, "screen": _screen, "watch": _joined, "rsync": _rsync, "zip": _zip,
    "socat": _socat, "split": _split, "sort": _split, "gdb": _debugger, "lldb": _debugger, "entr": _entr, "expect": _at_words,
    "flock": code_options("-c", "--command"), "script": code_options("-c", "--command"), "vagrant": code_options("-c", "--command"),
    "nix-shell": code_options("--run", "--command"), "man": code_options("-P", "--pager", "-H", "--html"), "npx": code_options("-c"),
    "gcloud": code_options("--command"), "scp": _copy, "sftp": _copy, "capsh": code_options("-c"),
    "nc": code_options("-e", "-c", "--exec", "--sh-exec"), "ncat": code_options("-e", "-c", "--exec", "--sh-exec"),
    "ansible": code_options("-a", "--args"), "salt": code_options("cmd.run"), "cpulimit": code_options("-c"), "tcpdump": code_options("-z"),
    "logrotate": code_options("-m", "--mail"), "wget": code_options("--use-askpass"), "pdsh": _joined, "pssh": _joined,
    "hyperfine": code_options("-p", "-c", "--prepare", "--cleanup"), "daemonize": _joined, "start-stop-daemon": code_options("--exec", "-x", "--startas", "-a"),
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose"), code_options("--entrypoint")),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex", "rvim", "gvim", "less", "more", "ed", "emacs", "vimdiff"), _editor),
    **dict.fromkeys(("mysql", "mariadb", "psql", "sqlite3", "ftp", "telnet", "sqlplus", "mail", "mailx", "lftp"), _client),
}  # fmt: skip
