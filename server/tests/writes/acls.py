"""Writes of rules of command filters, and the calls that try rules."""

from typing import Any

from writes.case import Again, Told, Write, created, deleted, parsing, silent, updated
from writes.preparations import Preparations

_FILTER = "/api/v1/assets/cmd-filters/"
_RULES = f"{_FILTER}<filter_pk>/rules/"
_KIND = "CommandFilterRule"
_IN_FILTER = {"filter_pk": "{assets/cmd-filters}"}
_ROW = {**_IN_FILTER, "pk": "{rule}"}
_DRAFT = {"type": "command", "content": "poweroff", "priority": 60, "action": 0}

_CHANGED = [
    updated(_KIND, name, {"comment": ""}, {"comment": "changed", "filter": "one"}) for name in ("shutdown", "reboot")
]
_BOTH = [{"id": "{rule}", "comment": "changed"}, {"id": "{second_rule}", "comment": "changed"}]


def _write(method: str, path: str, **more: Any) -> Write:
    return Write(method=method, path=path, prepare=Preparations.with_rules, **more)


WRITES = [
    Write(
        method="POST",
        path=_RULES,
        at=_IN_FILTER,
        body=_DRAFT,
        status=201,
        told=[created(_KIND, "poweroff", {**_DRAFT, "filter": "one"})],
        again=Again.ACTS,
    ),
    _write("PATCH", f"{_RULES}<pk>/", at=_ROW, body={"comment": "changed"}, told=[_CHANGED[0]]),
    _write("PUT", f"{_RULES}<pk>/", at=_ROW, body={"content": "shutdown", "comment": "changed"}, told=[_CHANGED[0]]),
    _write("PATCH", _RULES, at=_IN_FILTER, body=_BOTH, told=_CHANGED),
    _write(
        "PUT",
        _RULES,
        at=_IN_FILTER,
        body=[{**_BOTH[0], "content": "shutdown"}, {**_BOTH[1], "content": "reboot"}],
        told=_CHANGED,
    ),
    _write(
        "DELETE",
        f"{_RULES}<pk>/",
        at=_ROW,
        status=204,
        told=[deleted(_KIND, "shutdown", {"content": "shutdown", "filter": "one", "reviewers": []})],
        again=Again.GONE,
    ),
    _write(
        "DELETE",
        _RULES,
        at=_IN_FILTER,
        query="ids={rule},{second_rule}",
        status=204,
        told=[deleted(_KIND, "shutdown", {}), deleted(_KIND, "reboot", {})],
    ),
    parsing(_RULES, "*Content", "halt", at=_IN_FILTER),
    silent(f"{_FILTER}<pk>/try-line/", at={"pk": "{assets/cmd-filters}"}, body={"line": "ls", "rule": _DRAFT}),
    Write(
        method="POST",
        path=f"{_FILTER}<filter_id>/recent-commands/",
        at={"filter_id": "{assets/cmd-filters}"},
        body={"rule": _DRAFT},
        told=[
            Told(
                event="commands.viewed",
                action="other",
                kind="Command",
                name="one",
                new={"query": {"command_filter": "one"}},
            )
        ],
    ),
]
