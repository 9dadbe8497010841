"""Writes of login ACLs."""

from writes.case import ROOT, Write, silent
from writes.standard import Resource

_PATH = "/api/v1/acls/login-acls/"
ONE = "One-Person(one-person)"

_ACLS = Resource(
    path=_PATH,
    kind="LoginAcl",
    it="acls/login-acls",
    name="one rule (one-person)",
    second="2:acls/login-acls",
    second_name="two rule (two-person)",
    make={"name": "office", "user": "{users/users}", "ip_group": ["10.0.0.0/8"], "action": "allow"},
    made_name="office (one-person)",
    made={"name": "office", "user": ONE, "ip_group": ["10.0.0.0/8"], "action": "allow", "priority": 50},
    change={"comment": "changed", "priority": 7},
    before={"comment": "", "priority": 50},
    after={"comment": "changed", "priority": 7},
    put={"name": "one rule", "user": "{users/users}"},
    put_second={"name": "two rule", "user": "{2:users/users}"},
    gone={"name": "one rule", "user": ONE, "action": "allow"},
    org=ROOT,
)

WRITES: list[Write] = [
    *_ACLS.writes(),
    silent(f"{_PATH}trial/", body={"user": "{users/users}", "remote_addr": "10.0.0.1"}),
]
