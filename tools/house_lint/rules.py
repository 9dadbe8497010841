"""The rules. Each is one visitor over the syntax tree; there are no suppressions, only the places named in `EXEMPT`."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Finding:
    """One broken rule."""

    line: int
    rule: str
    message: str


Rule = Callable[[str, ast.Module], Iterator[Finding]]

#: The one renderer that may declare HTML safe (it sanitises).
HTML_RENDERER: Final = "foundation/html.py"

#: (rule, end of the path) → why the rule does not speak of this place.
EXEMPT: Final = {
    ("no-mark-safe", HTML_RENDERER): "the sanitiser itself",
    ("no-naive-datetime", "kernel/clock.py"): "the one clock",
    ("no-unverified-tls", "proxies/ssh/target.py"): "host keys are judged by the control plane, in TargetLink",
    ("no-unverified-tls", "proxies/ssh/fast_transport_trial.py"): "both ends are this process, over a socket pair",
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
_MARKER: Final = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def check_source(path: str, source: str) -> list[Finding]:
    """All findings in one file, by line. `path` uses forward slashes; it decides which places are exempt."""
    tree = ast.parse(source)
    found = [finding for rule in RULES for finding in rule(path, tree)]
    found += _unfinished(source)
    found = [one for one in found if not any(one.rule == rule and path.endswith(end) for rule, end in EXEMPT)]
    return sorted(found, key=lambda finding: (finding.line, finding.rule))


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
    """K5: guessable numbers have no place in the product; whoever needs chance takes `secrets`."""
    del path
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        if any(name == "random" or name.startswith(("random.", "numpy.random")) for name in names):
            yield Finding(node.lineno, "no-random", "use `secrets`: everything here may have to resist guessing")


def no_shell(path: str, tree: ast.Module) -> Iterator[Finding]:
    """K28: commands are argument lists."""
    del path
    for call in _calls(tree):
        for keyword in call.keywords:
            if keyword.arg == "shell" and not _is(keyword.value, False):
                yield Finding(call.lineno, "no-shell", "pass an argument list, never a shell line")
        if _name(call.func) in {"system", "popen", "create_subprocess_shell", "getoutput", "getstatusoutput"}:
            yield Finding(call.lineno, "no-shell", f"`{_name(call.func)}` starts a shell")


def no_unverified_tls(path: str, tree: ast.Module) -> Iterator[Finding]:
    """K20: who we talk to is always checked."""
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
    """K3: text becomes HTML in one place, which sanitises it."""
    del path
    for node in ast.walk(tree):
        named = isinstance(node, ast.Name | ast.Attribute) and _name(node) in {"mark_safe", "SafeString", "SafeText"}
        imported = isinstance(node, ast.ImportFrom) and any(a.name in {"mark_safe", "SafeString"} for a in node.names)
        if named or imported:
            yield Finding(node.lineno, "no-mark-safe", f"only {HTML_RENDERER} may declare HTML safe")


def no_expanded_query(path: str, tree: ast.Module) -> Iterator[Finding]:
    """K22: no dictionary is expanded into a query, because its keys would choose columns and operators."""
    del path
    for call in _calls(tree):
        expanded = [keyword.value for keyword in call.keywords if keyword.arg is None]
        if _name(call.func) in _QUERY_METHODS and not all(_is_written_out(value) for value in expanded):
            yield Finding(call.lineno, "no-expanded-query", f"`**` in `{_name(call.func)}(…)`: name each column")


def _is_written_out(value: ast.expr) -> bool:
    """A dict display shows its keys (`{f"{column}_id": x}`); a variable does not."""
    return isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant | ast.JoinedStr) for key in value.keys)


def no_naive_datetime(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Instants know their zone."""
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
    """Where a name comes from can be read."""
    del path
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            yield Finding(node.lineno, "no-star-import", "name what you import")


def no_late_import(path: str, tree: ast.Module) -> Iterator[Finding]:
    """An import inside a function hides a cycle. Composition roots and `AppConfig.ready` have a reason."""
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
    """Unfinished work is an issue of the tracker, not a comment."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and _MARKER.search(token.string):
            yield Finding(token.start[0], "no-unfinished", "finish it, or write an issue")


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
