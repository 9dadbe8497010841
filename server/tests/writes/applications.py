"""Writes of applications."""

from writes.preparations import MARK
from writes.standard import Resource

API = "/api/v1/applications/"

_APPLICATIONS = Resource(
    path=f"{API}applications/",
    kind="Application",
    it="applications/applications",
    name="one database",
    second="2:applications/applications",
    second_name="two database",
    make={
        "name": "orders",
        "category": "db",
        "type": "oracle",
        "domain": "{assets/domains}",
        "attrs": {"host": "203.0.113.8", "database": "ORCL"},
    },
    made_name="orders",
    made={"name": "orders", "domain": "one domain", "host": "203.0.113.8", "port": 1521},
    change={"comment": "changed", "attrs": {"port": 3307}},
    before={"comment": "", "port": 3306},
    after={"comment": "changed", "port": 3307},
    put={"name": "one database", "category": "db", "type": "mysql"},
    put_second={"name": "two database", "category": "db", "type": "mysql"},
    gone={"name": "one database", "host": "192.0.2.20", "database": "orders"},
    columns="*Name,*Category,*Type",
    row="orders,db,mysql",
)

WRITES = [*_APPLICATIONS.writes()]
