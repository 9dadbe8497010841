"""The programs that run the command in their arguments, and where that command begins."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How to find the command of a wrapper."""

    #: Letters of short options that take a value.
    values: str = ""
    #: Long options that take a value in the next word.
    long: tuple[str, ...] = ()
    #: Words before the command.
    before: int = 0
    #: Whether `NAME=value` may precede the command.
    assigns: bool = False
    #: Only the words after this word are the command.
    behind: tuple[str, ...] = ()
    #: The first of the words before must be one of these.
    verbs: tuple[str, ...] = ()


_USER: Final = (
    "user",
    "group",
    "host",
    "prompt",
    "chdir",
    "close-from",
    "role",
    "type",
    "chroot",
    "command-timeout",
    "other-user",
)
_RUN: Final = (
    "name", "volume", "env", "workdir", "user", "network", "publish", "entrypoint", "mount", "label", "hostname", "memory",
    "cpus", "env-file", "platform", "restart", "runtime", "cap-add", "cap-drop", "device", "add-host", "pid", "ipc", "ulimit",
    "security-opt", "tmpfs", "link", "expose", "log-driver", "dns", "index", "pull", "shm-size", "userns",
)  # fmt: skip
_KUBE: Final = ("namespace", "container", "context", "kubeconfig", "cluster", "image", "filename")
WRAPPERS: Final[dict[str, Wrapper]] = {
    "sudo": Wrapper("ugphCcrtTDRU", _USER, assigns=True),
    "doas": Wrapper("uCa"),
    "sudo-rs": Wrapper("ugphCcrtTDRU", _USER, assigns=True),
    "run0": Wrapper("ugDp", ("user", "group", "chdir", "property", "setenv", "unit", "slice", "description", "nice")),
    "pkexec": Wrapper("", ("user",)),
    "gosu": Wrapper(before=1),
    "su-exec": Wrapper(before=1),
    "dzdo": Wrapper("ugp", _USER, assigns=True),
    "pfexec": Wrapper("P"),
    "env": Wrapper("uCPa", ("unset", "chdir", "argv0"), assigns=True),
    "nice": Wrapper("n", ("adjustment",)),
    "ionice": Wrapper("cnpPu", ("class", "classdata")),
    "chrt": Wrapper("TPD", ("sched-runtime", "sched-period", "sched-deadline"), before=1),
    "taskset": Wrapper(before=1),
    "numactl": Wrapper("NCimpl", ("cpunodebind", "physcpubind", "interleave", "membind", "preferred")),
    "nohup": Wrapper(),
    "setsid": Wrapper(),
    "stdbuf": Wrapper("ioe", ("input", "output", "error")),
    "timeout": Wrapper("ks", ("kill-after", "signal"), before=1),
    "gtimeout": Wrapper("ks", ("kill-after", "signal"), before=1),
    "time": Wrapper("fo", ("format", "output")),
    "exec": Wrapper("a"),
    "command": Wrapper(),
    "builtin": Wrapper(),
    "noglob": Wrapper(),
    "nocorrect": Wrapper(),
    "-": Wrapper(),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "unshare": Wrapper("RSGw", ("root", "wd", "setuid", "setgid", "propagation", "map-user", "map-group", "setgroups")),
    "nsenter": Wrapper("tSGrw", ("target", "setuid", "setgid")),
    "chroot": Wrapper("", ("userspec", "groups"), before=1),
    "strace": Wrapper("eopsuSPaEIOXbt", ("trace", "output", "attach", "user", "env", "string-limit")),
    "ltrace": Wrapper("eopsunlaxASF"),
    "valgrind": Wrapper(),
    "perf": Wrapper("eopFgcC", ("output", "event"), before=1, verbs=("stat", "record", "trace")),
    "catchsegv": Wrapper(),
    "watch": Wrapper("nq", ("interval", "equexit")),
    "flock": Wrapper("wE", ("timeout", "wait", "conflict-exit-code"), before=1),
    "setarch": Wrapper(before=1),
    "linux32": Wrapper(),
    "linux64": Wrapper(),
    "i386": Wrapper(),
    "x86_64": Wrapper(),
    "setpriv": Wrapper("", ("reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits", "pdeathsig")),
    "prlimit": Wrapper("po", ("pid", "output")),
    "cgexec": Wrapper("g"),
    "cpulimit": Wrapper("lpe", ("limit", "pid", "exe")),
    "systemd-run": Wrapper("pEugtMHd", ("property", "unit", "description", "slice", "setenv", "uid", "gid", "nice", "working-directory", "on-calendar", "on-active", "on-boot", "service-type", "machine", "host", "timer-property", "path-property", "socket-property"), assigns=False),
    "systemd-inhibit": Wrapper("", ("what", "who", "why", "mode")),
    "systemd-cat": Wrapper("tp", ("identifier", "priority")),
    "dbus-run-session": Wrapper("", ("config-file", "dbus-daemon")),
    "dbus-launch": Wrapper(),
    "fakeroot": Wrapper("lsifb", ("lib", "faked")),
    "fakechroot": Wrapper(),
    "proot": Wrapper("rbqwk", ("rootfs", "bind", "cwd", "pwd")),
    "bwrap": Wrapper(),
    "firejail": Wrapper(),
    "faketime": Wrapper("fp", before=1),
    "eatmydata": Wrapper(),
    "torsocks": Wrapper(),
    "proxychains": Wrapper("f"),
    "proxychains4": Wrapper("f"),
    "trickle": Wrapper("udwtlLn"),
    "unbuffer": Wrapper(),
    "xvfb-run": Wrapper("efnpsw", ("server-num", "server-args", "error-file", "auth-file")),
    "start-stop-daemon": Wrapper(behind=("--",)),
    "chpst": Wrapper("uUbenmdoplfcrt/"),
    "softlimit": Wrapper("adfmlostpcr"),
    "setuidgid": Wrapper(before=1),
    "envuidgid": Wrapper(before=1),
    "envdir": Wrapper(before=1),
    "setlock": Wrapper(before=1),
    "s6-setuidgid": Wrapper(before=1),
    "pgrphack": Wrapper(),
    "tini": Wrapper("pe"),
    "dumb-init": Wrapper("r", ("rewrite",)),
    "catatonit": Wrapper(),
    "entr": Wrapper(),
    "caffeinate": Wrapper("tw"),
    "hyperfine": Wrapper("wrmMpcnSN", ("warmup", "runs", "prepare", "cleanup", "min-runs", "max-runs", "export-json")),
    "choom": Wrapper("np", ("adjust", "pid")),
    "uclampset": Wrapper("mMp"),
    "coreutils": Wrapper(),
    "rlwrap": Wrapper("abcCDfghHilmopPqsStz"),
    "script": Wrapper("cEIBOTom", behind=("--",)),
    "sem": Wrapper("jPS", ("jobs", "id", "delay")),
    "retry": Wrapper("tdm"),
    "aa-exec": Wrapper("pn", ("profile", "namespace")),
    "runcon": Wrapper("utrl", ("user", "type", "role", "range"), before=1),
    "capsh": Wrapper(behind=("--",)),
    "runuser": Wrapper("ugGsw", ("user", "group", "supp-group", "shell")),
    "docker": Wrapper("veuwplhmHcn", _RUN, before=2, verbs=("exec", "run", "container", "create")),
    "podman": Wrapper("veuwplhmHcn", _RUN, before=2, verbs=("exec", "run", "container", "create")),
    "nerdctl": Wrapper("veuwplhmHcn", _RUN, before=2, verbs=("exec", "run", "container", "create")),
    "docker-compose": Wrapper("veuwplfT", _RUN, before=2, verbs=("exec", "run")),
    "kubectl": Wrapper("ncsf", _KUBE, before=2, verbs=("exec", "run", "debug")),
    "oc": Wrapper("ncsf", _KUBE, before=2, verbs=("exec", "run", "rsh", "debug")),
    "lxc": Wrapper("Tt", ("env", "mode", "user", "group", "cwd"), before=2, verbs=("exec",)),
    "lxc-attach": Wrapper("nPRse", ("name",)),
    "machinectl": Wrapper("MH", ("uid", "setenv"), before=2, verbs=("shell",)),
    "ip": Wrapper("bn", (), before=3, verbs=("netns", "vrf")),
    "crictl": Wrapper("ir", (), before=2, verbs=("exec",)),
    "poetry": Wrapper(before=1, verbs=("run",)),
    "pipenv": Wrapper(before=1, verbs=("run",)),
    "uv": Wrapper("p", ("with", "python"), before=1, verbs=("run",)),
    "bundle": Wrapper(before=1, verbs=("exec",)),
    "npx": Wrapper("pc", ("package", "call")),
    "direnv": Wrapper(before=2, verbs=("exec",)),
}  # fmt: skip
