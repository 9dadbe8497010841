"""Writes of assets, domains, the tree, platforms, stars, pinned host keys."""

from typing import Any

from writes.case import ROOT, Again, Told, Write, created, deleted, parsing, updated
from writes.standard import Resource
from writes.world import World

API = "/api/v1/assets/"

_ASSETS = Resource(
    path=f"{API}assets/",
    kind="Asset",
    it="assets/assets",
    name="{name:assets/assets}",
    second="2:assets/assets",
    second_name="{2:name:assets/assets}",
    make={
        "hostname": "web-9",
        "ip": "203.0.113.9",
        "platform": "Linux",
        "protocols": ["ssh/22"],
        "labels": ["{assets/labels}"],
    },
    made_name="web-9(203.0.113.9)",
    made={
        "hostname": "web-9",
        "ip": "203.0.113.9",
        "protocols": ["ssh/22"],
        "labels": ["one:v"],
        "nodes": ["/Default"],
    },
    change={"comment": "changed", "protocols": ["ssh/2222"]},
    before={"comment": "", "protocols": ["ssh/22"]},
    after={"comment": "changed", "protocols": ["ssh/2222"]},
    put={"hostname": "one-host", "ip": "{ip:assets/assets}", "platform": "Linux"},
    put_second={"hostname": "two-host", "ip": "{2:ip:assets/assets}", "platform": "Linux"},
    gone={"hostname": "one-host", "protocols": ["ssh/22"], "nodes": ["/Default/one node"]},
    columns="*Hostname,*IP,*Platform",
    row="web-8,203.0.113.8,Linux",
)

_DOMAINS = Resource(
    path=f"{API}domains/",
    kind="Domain",
    it="zone",
    name="one zone",
    second="2:zone",
    second_name="two zone",
    make={"name": "zone", "reached_through": "{assets/domains}"},
    made_name="zone",
    made={"name": "zone", "reached_through": "one domain"},
    change={"comment": "changed"},
    before={"comment": ""},
    after={"comment": "changed"},
    put={"name": "one zone"},
    put_second={"name": "two zone"},
    gone={"name": "one zone"},
    columns="*Name",
    row="zone",
)

#: The assets of a domain change with it, each with its own record.
_ASSETS_OF_DOMAINS = [
    Write(
        method="PATCH",
        path=f"{API}domains/<pk>/",
        at={"pk": "{zone}"},
        body={"assets": ["{assets/assets}"]},
        told=[
            updated("Asset", "{name:assets/assets}", {"domain_id": None}, {"domain_id": "{zone}"}),
            updated("Domain", "one zone", {"assets": []}, {"assets": ["one-host"]}),
        ],
    ),
]

_PLATFORMS = Resource(
    path=f"{API}platforms/",
    kind="Platform",
    it="platform",
    name="one-platform",
    second="2:platform",
    second_name="two-platform",
    make={"name": "Router", "base": "Other", "charset": "gbk"},
    made_name="Router",
    made={"name": "Router", "base": "Other", "charset": "gbk"},
    change={"charset": "gbk"},
    before={"charset": "utf8"},
    after={"charset": "gbk"},
    put={"name": "one-platform", "base": "Linux"},
    put_second={"name": "two-platform", "base": "Linux"},
    gone={"name": "one-platform", "base": "Linux", "charset": "utf8"},
    org=ROOT,
)

_MOVED = Told(
    event="node.moved",
    action="update",
    kind="Node",
    name="/Default/one node/two node",
    old={"full_value": "/Default/two node"},
    new={"full_value": "/Default/one node/two node"},
)


def _child(path: str, at: dict[str, str], parent: str) -> Write:
    told = created("Node", f"{parent}/kitchen", {"full_value": f"{parent}/kitchen"})
    return Write(method="POST", path=path, at=at, body={"value": "kitchen"}, status=201, told=[told], again=Again.ACTS)


def _placed(verb: str, event: str, assets: list[str], old: dict[str, object], new: dict[str, object]) -> list[Write]:
    told = Told(event=event, action="update", kind="Node", name="/Default/one node", old=old, new=new, whole=True)
    at = {"pk": "{assets/nodes}"}
    return [
        Write(method=method, path=f"{API}nodes/<pk>/assets/{verb}/", at=at, body={"assets": assets}, told=[told])
        for method in ("PUT", "PATCH")
    ]


#: One of the two is in the node already: only the change is recorded.
_BOTH = ["{assets/assets}", "{2:assets/assets}"]
_RENAMED = {
    name: updated(
        "Node",
        f"/Default/{name} hall",
        {"full_value": f"/Default/{name} node"},
        {"full_value": f"/Default/{name} hall"},
    )
    for name in ("one", "two")
}

_NODES = [
    _child(f"{API}nodes/", {}, "/Default"),
    _child(f"{API}nodes/children/", {}, "/Default"),
    _child(f"{API}nodes/children/tree/", {}, "/Default"),
    _child(f"{API}nodes/<pk>/children/", {"pk": "{assets/nodes}"}, "/Default/one node"),
    *[
        Write(
            method=method,
            path=f"{API}nodes/<pk>/",
            at={"pk": "{assets/nodes}"},
            body={"value": "one hall"},
            told=[_RENAMED["one"]],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=f"{API}nodes/",
            body=[{"id": "{assets/nodes}", "value": "one hall"}, {"id": "{2:assets/nodes}", "value": "two hall"}],
            told=[_RENAMED["one"], _RENAMED["two"]],
        )
        for method in ("PUT", "PATCH")
    ],
    *[
        Write(
            method=method,
            path=f"{API}nodes/<pk>/children/add/",
            at={"pk": "{assets/nodes}"},
            body={"nodes": ["{2:assets/nodes}"]},
            told=[_MOVED],
        )
        for method in ("PUT", "PATCH")
    ],
    *_placed("add", "node.assets_added", _BOTH, {}, {"assets": ["two-host"], "count": 1}),
    *_placed("remove", "node.assets_removed", _BOTH, {"assets": ["one-host"], "count": 1}, {}),
    *_placed(
        "replace", "node.assets_moved", _BOTH, {"nodes": ["/Default/two node"]}, {"assets": ["two-host"], "count": 1}
    ),
    Write(
        method="DELETE",
        path=f"{API}nodes/<pk>/",
        at={"pk": "{empty}"},
        prepare=World.empty_node,
        status=204,
        told=[deleted("Node", "/Default/empty", {"full_value": "/Default/empty"})],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}nodes/",
        query="ids={empty}",
        prepare=World.empty_node,
        status=204,
        told=[deleted("Node", "/Default/empty", {"full_value": "/Default/empty"})],
    ),
    parsing(f"{API}nodes/", "Value", "cellar"),
]

_STAR: dict[str, Any] = {"kind": "FavoriteAsset", "name": "{name:assets/assets}"}
_STARS = [
    Write(
        method="POST",
        path=f"{API}favorite-assets/",
        prepare=World.without_star,
        body={"asset": "{assets/assets}"},
        status=201,
        told=[Told(event="favoriteasset.created", action="create", new={"user": "Adam(adam)"}, **_STAR)],
    ),
    Write(
        method="DELETE",
        path=f"{API}favorite-assets/<pk>/",
        at={"pk": "{star}"},
        status=204,
        told=[Told(event="favoriteasset.deleted", action="delete", old={"user": "Adam(adam)"}, **_STAR)],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}favorite-assets/",
        query="ids={star}",
        status=204,
        told=[Told(event="favoriteasset.deleted", action="delete", old={"user": "Adam(adam)"}, **_STAR)],
    ),
]


def _forgotten(prefix: str) -> Told:
    return deleted("HostKey", f"{{{prefix}name:assets/host-keys}}", {"via": ""}, event="host_key.forgotten")


_HOST_KEYS = [
    Write(
        method="DELETE",
        path=f"{API}host-keys/<pk>/",
        at={"pk": "{assets/host-keys}"},
        status=204,
        told=[_forgotten("")],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}host-keys/",
        query="ids={assets/host-keys},{2:assets/host-keys}",
        status=204,
        told=[_forgotten(""), _forgotten("2:")],
    ),
]

WRITES = [
    *_ASSETS.writes(),
    *_DOMAINS.writes(),
    *_ASSETS_OF_DOMAINS,
    *_PLATFORMS.writes(),
    *_NODES,
    *_STARS,
    *_HOST_KEYS,
]
