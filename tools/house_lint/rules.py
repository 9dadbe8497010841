"""The rules, each a visitor over the syntax tree. There are no suppressions, only the exemptions in `EXEMPT`."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Finding:
    """A violation of a rule."""

    line: int
    rule: str
    message: str


Rule = Callable[[str, ast.Module], Iterator[Finding]]

#: The only renderer that may mark HTML as safe, because it sanitizes it.
HTML_RENDERER: Final = "foundation/html.py"

#: (rule, end of the path) → why the rule does not apply there.
EXEMPT: Final = {
    ("no-mark-safe", HTML_RENDERER): "the sanitiser itself",
    ("no-naive-datetime", "kernel/clock.py"): "the one clock",
    ("no-unverified-tls", "proxies/ssh_connections/sign_in.py"): "the control plane judges host keys",
    ("no-unverified-tls", "proxies/ssh_connections/fast_transport_trial.py"): "both ends are this process",
    ("no-unverified-tls", "proxies/runner/winrm/byte_streams.py"): "the key is judged as SSH host keys are",
    ("no-expanded-query", "apps/vault/system_users/actions.py"): "the keys are the relation columns of our own model",
}

_QUERY_METHODS: Final = frozenset(
    {"filter", "exclude", "annotate", "alias", "aggregate", "order_by", "get", "get_or_create", "values", "Q"}
)
_NAIVE_CALLS: Final = {
    ("datetime", "utcnow"): "use postern.kernel.clock.now()",
    ("datetime", "utcfromtimestamp"): "use datetime.fromtimestamp(…, UTC)",
    ("datetime", "today"): "use postern.kernel.clock.now()",
    ("date", "today"): "use postern.kernel.clock.now().date()",
}
#: A longer file does more than one thing. Migrations are generated, and as long as what they change.
MAX_LINES: Final = 450
_GENERATED: Final = "/migrations/"
_MARKER: Final = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def check_source(path: str, source: str) -> list[Finding]:
    """All violations in a file, by line. `path` uses forward slashes and determines the exemptions."""
    tree = ast.parse(source)
    findings = [finding for rule in RULES for finding in rule(path, tree)]
    findings += _unfinished(source)
    findings += _too_long(path, source)
    findings = [
        finding for finding in findings if not any(finding.rule == rule and path.endswith(end) for rule, end in EXEMPT)
    ]
    return sorted(findings, key=lambda finding: (finding.line, finding.rule))


def _name(node: ast.expr) -> str:
    """The last part of a dotted name: `a.b.c` → `c`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def no_random(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Random numbers come from `secrets` only (K5: tokens cannot be predicted)."""
    del path
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        if any(name == "random" or name.startswith(("random.", "numpy.random")) for name in names):
            yield Finding(node.lineno, "no-random", "use `secrets`: everything here may have to resist guessing")


def no_shell(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Commands are argument lists (K28: the front starts no shell)."""
    del path
    for call in _calls(tree):
        for keyword in call.keywords:
            if keyword.arg == "shell" and not _is(keyword.value, False):
                yield Finding(call.lineno, "no-shell", "pass an argument list, never a shell line")
        if _name(call.func) in {"system", "popen", "create_subprocess_shell", "getoutput", "getstatusoutput"}:
            yield Finding(call.lineno, "no-shell", f"`{_name(call.func)}` starts a shell")


def no_unverified_tls(path: str, tree: ast.Module) -> Iterator[Finding]:
    """TLS certificates are always verified (K20: no TLS certificate goes unchecked)."""
    del path
    for call in _calls(tree):
        for keyword in call.keywords:
            if keyword.arg in {"verify", "verify_ssl", "check_hostname", "ssl_verify"} and _is(keyword.value, False):
                yield Finding(call.lineno, "no-unverified-tls", f"`{keyword.arg}=False` trusts anybody")
            if keyword.arg == "known_hosts" and _is(keyword.value, None):
                yield Finding(call.lineno, "no-unverified-tls", "`known_hosts=None` accepts any host key")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and _name(node) in {"CERT_NONE", "_create_unverified_context"}:
            yield Finding(node.lineno, "no-unverified-tls", f"`{_name(node)}` trusts anybody")
        if isinstance(node, ast.Assign) and _is(node.value, False):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and target.attr in {"check_hostname", "verify"}:
                    yield Finding(node.lineno, "no-unverified-tls", f"`{target.attr} = False` trusts anybody")


def no_mark_safe(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Text becomes HTML in one place only, which sanitizes it (K3: stored text is never executed)."""
    del path
    for node in ast.walk(tree):
        named = isinstance(node, ast.Name | ast.Attribute) and _name(node) in {"mark_safe", "SafeString", "SafeText"}
        imported = isinstance(node, ast.ImportFrom) and any(a.name in {"mark_safe", "SafeString"} for a in node.names)
        if named or imported:
            yield Finding(node.lineno, "no-mark-safe", f"only {HTML_RENDERER} may declare HTML safe")


def no_expanded_query(path: str, tree: ast.Module) -> Iterator[Finding]:
    """No dictionary is expanded into a query, since its keys would choose columns and operators (K22: no request value
    is part of a query).
    """
    del path
    for call in _calls(tree):
        expanded = [keyword.value for keyword in call.keywords if keyword.arg is None]
        if _name(call.func) in _QUERY_METHODS and not all(_is_written_out(value) for value in expanded):
            yield Finding(call.lineno, "no-expanded-query", f"`**` in `{_name(call.func)}(…)`: name each column")


def _is_written_out(value: ast.expr) -> bool:
    """Whether the keys are visible: they are in a dict display (`{f"{column}_id": x}`), but not in a variable."""
    return isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant | ast.JoinedStr) for key in value.keys)


def no_naive_datetime(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Datetimes have a time zone."""
    del path
    for call in _calls(tree):
        function = call.func
        if isinstance(function, ast.Attribute):
            advice = _NAIVE_CALLS.get((_name(function.value), function.attr))
            if advice:
                yield Finding(call.lineno, "no-naive-datetime", advice)
            if _name(function.value) == "datetime" and function.attr in {"now", "fromtimestamp"}:
                wanted = 1 if function.attr == "now" else 2
                if len(call.args) < wanted and not any(keyword.arg in {"tz", None} for keyword in call.keywords):
                    yield Finding(call.lineno, "no-naive-datetime", f"`datetime.{function.attr}` without a zone")
        zoneless = not any(keyword.arg in {"tzinfo", None} for keyword in call.keywords)
        if _name(function) == "datetime" and 3 <= len(call.args) < 8 and zoneless:
            yield Finding(call.lineno, "no-naive-datetime", "`datetime(…)` without tzinfo")


def no_star_import(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Imports show where each name comes from."""
    del path
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield Finding(node.lineno, "no-star-import", "name what you import")


def no_late_import(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Imports inside functions hide import cycles. Composition roots and `AppConfig.ready` are exempt."""
    if "/entrypoints/" in path:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name == "ready" and path.endswith("/apps.py"):
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import | ast.ImportFrom):
                yield Finding(inner.lineno, "no-late-import", f"import at the top, not inside `{node.name}`")


def _unfinished(source: str) -> Iterator[Finding]:
    """Unfinished work is tracked as an issue, not in a comment."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and _MARKER.search(token.string):
            yield Finding(token.start[0], "no-unfinished", "finish it, or write an issue")


def _too_long(path: str, source: str) -> Iterator[Finding]:
    """A file that does one thing is short."""
    lines = source.count("\n")
    if lines > MAX_LINES and _GENERATED not in path:
        yield Finding(
            MAX_LINES, "no-long-file", f"{lines} lines: split it along what it does, into {MAX_LINES} at most"
        )


RULES: Final[tuple[Rule, ...]] = (
    no_random,
    no_shell,
    no_unverified_tls,
    no_mark_safe,
    no_expanded_query,
    no_naive_datetime,
    no_star_import,
    no_late_import,
)
