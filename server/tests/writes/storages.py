"""Writes of storages of recordings and of commands, and the move of recordings."""

from writes.case import ROOT, Again, Told, Write, created, deleted, updated
from writes.world import World

REPLAYS = "/api/v1/terminal/replay-storages/"
COMMANDS = "/api/v1/terminal/command-storages/"
_DEFAULT_REPLAYS = "00000000-0000-0000-0000-000000000005"
_DEFAULT_COMMANDS = "00000000-0000-0000-0000-000000000003"
_META = {"BUCKET": "recordings", "ENDPOINT": "https://s3.example.com"}
_KEYS = {"ACCESS_KEY": "AKIDEXAMPLE", "SECRET_KEY": "not-shown-anywhere"}
_MASKED = {"ACCESS_KEY": "******", "SECRET_KEY": "******"}
_CHANGED = updated("ReplayStorage", "archive", {"comment": ""}, {"comment": "cold"}, org=ROOT)
_WHOLE = {"name": "archive", "type": "s3", "comment": "cold"}
_GONE = deleted("ReplayStorage", "archive", {"name": "archive", "type": "s3", "BUCKET": "recordings"}, org=ROOT)
_BUILT_IN = {"name": "default", "type": "server", "comment": "mine"}


def _tested(kind: str, name: str, *, accepted: bool, reason: str) -> Told:
    new = {"accepted": accepted, "reason": reason}
    return Told(event="storage.tested", action="other", kind=kind, name=name, new=new, org=ROOT)


WRITES = [
    Write(
        method="POST",
        path=REPLAYS,
        body={"name": "archive", "type": "s3", "meta": {**_META, **_KEYS}},
        status=201,
        told=[created("ReplayStorage", "archive", {"name": "archive", "type": "s3", **_META, **_MASKED}, org=ROOT)],
        again=Again.GONE,
    ),
    *(
        Write(
            method=method,
            path=f"{REPLAYS}<pk>/",
            at={"pk": "{replay_storage}"},
            body=_WHOLE,
            told=[_CHANGED],
            prepare=World.with_replay_storage,
        )
        for method in ("PUT", "PATCH")
    ),
    *(
        Write(
            method=method,
            path=REPLAYS,
            body=[{"id": "{replay_storage}", **_WHOLE}],
            told=[_CHANGED],
            prepare=World.with_replay_storage,
        )
        for method in ("PUT", "PATCH")
    ),
    Write(
        method="DELETE",
        path=f"{REPLAYS}<pk>/",
        at={"pk": "{replay_storage}"},
        status=204,
        told=[_GONE],
        again=Again.GONE,
        prepare=World.with_replay_storage,
    ),
    Write(
        method="DELETE",
        path=REPLAYS,
        query="ids={replay_storage}",
        status=204,
        told=[_GONE],
        prepare=World.with_replay_storage,
    ),
    # A test that reaches nobody: the address is never dialled.
    Write(
        method="POST",
        path=f"{REPLAYS}<pk>/test-connective/",
        at={"pk": "{replay_storage}"},
        told=[_tested("ReplayStorage", "archive", accepted=False, reason="dialling.metadata")],
        again=Again.ACTS,
        prepare=World.with_replay_storage,
    ),
    Write(
        method="POST",
        path=f"{REPLAYS}<pk>/move-recordings/",
        at={"pk": "{replay_storage}"},
        body={"target": _DEFAULT_REPLAYS},
        status=202,
        told=[
            Told(
                event="recordings.move_started",
                action="other",
                kind="ReplayStorage",
                name="archive",
                new={"target": "default", "recordings": 0, "by": "Adam(adam)"},
                org=ROOT,
            )
        ],
        again=Again.GONE,
        prepare=World.with_replay_storage,
    ),
    # No other storage of commands can be made, and those that are built in stay as they are.
    Write(method="POST", path=COMMANDS, body={"name": "search", "type": "es", "meta": {}}, status=400),
    *(
        Write(method=method, path=f"{COMMANDS}<pk>/", at={"pk": _DEFAULT_COMMANDS}, body=_BUILT_IN, status=400)
        for method in ("PUT", "PATCH")
    ),
    *(
        Write(method=method, path=COMMANDS, body=[{"id": _DEFAULT_COMMANDS, **_BUILT_IN}], status=400)
        for method in ("PUT", "PATCH")
    ),
    Write(method="DELETE", path=f"{COMMANDS}<pk>/", at={"pk": _DEFAULT_COMMANDS}, status=400),
    Write(method="DELETE", path=COMMANDS, query=f"ids={_DEFAULT_COMMANDS}", status=400),
    Write(
        method="POST",
        path=f"{COMMANDS}<pk>/test-connective/",
        at={"pk": _DEFAULT_COMMANDS},
        told=[_tested("CommandStorage", "default", accepted=True, reason="")],
        again=Again.ACTS,
    ),
]
