"""Writes about service accounts: their access keys, and their registration."""

from writes.case import ROOT, Again, Told, Write, created, deleted, updated

_PATH = "/api/v1/authentication/service-account-keys/"
_ONE, _TWO = "one robot(one-robot)", "two robot(two-robot)"
_OLD, _NEW = {"comment": "one key", "is_active": True}, {"comment": "changed", "is_active": False}


def _changed(old: str) -> Told:
    return updated("AccessKey", "access key {any}", {**_OLD, "comment": old}, _NEW, org=ROOT)


def _gone(name: str, comment: str) -> Told:
    return deleted("AccessKey", "access key {any}", {"user": name, "comment": comment, "is_active": True}, org=ROOT)


WRITES: list[Write] = [
    Write(
        method="POST",
        path=_PATH,
        body={"user": "{service}", "comment": "nightly"},
        status=201,
        told=[
            created("AccessKey", "access key {any}", {"user": _ONE, "comment": "nightly", "is_active": True}, org=ROOT)
        ],
        again=Again.ACTS,
        shown_once=["secret"],
    ),
    *[
        Write(
            method=method,
            path=f"{_PATH}<pk>/",
            at={"pk": "{service-key}"},
            body={"user": "{service}", **_NEW},
            told=[_changed("one key")],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=_PATH,
            body=[
                {"id": "{service-key}", "user": "{service}", **_NEW},
                {"id": "{2:service-key}", "user": "{2:service}", **_NEW},
            ],
            told=[_changed("one key"), _changed("two key")],
        )
        for method in ("PUT", "PATCH")
    ],
    Write(
        method="DELETE",
        path=f"{_PATH}<pk>/",
        at={"pk": "{service-key}"},
        status=204,
        told=[_gone(_ONE, "one key")],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=_PATH,
        query="ids={service-key},{2:service-key}",
        status=204,
        told=[_gone(_ONE, "one key"), _gone(_TWO, "two key")],
    ),
    Write(
        method="POST",
        path="/api/v1/users/service-account-registrations/",
        caller="bootstrap",
        body={"name": "robot-9"},
        status=201,
        told=[
            created(
                "User",
                "robot-9(robot-9)",
                {"username": "robot-9", "kind": "service", "is_active": False},
                org=ROOT,
                user="bootstrap token",
            ),
            created("AccessKey", "access key {any}", {"user": "robot-9(robot-9)"}, org=ROOT, user="bootstrap token"),
        ],
        again=Again.GONE,
        shown_once=["access_key.secret"],
    ),
]
