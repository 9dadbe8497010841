"""Every route that could write is in the table of writes, whose calls
`tests/integration/test_write_proofs.py` makes.
"""

from endpoints import HTTP
from writes.table import AREAS

#: GETs that write: those that `test_acting_gets.py` detects, and the page that signs out.
ACTING_GETS = {
    ("GET", "/api/v1/users/users/<pk>/otp/reset/"),
    ("GET", "/api/v1/perms/asset-permissions/cache/refresh/"),
    ("GET", "/api/v1/ops/tasks/<pk>/run/"),
    ("GET", "/core/auth/logout/"),
}


def test_every_route_that_could_write_is_in_the_table() -> None:
    listed = {(write.method, write.path) for writes in AREAS.values() for write in writes}
    existing = {
        (endpoint.method, endpoint.path) for endpoint in HTTP if endpoint.method not in {"GET", "HEAD"}
    } | ACTING_GETS
    assert existing - listed == set(), (
        "add these calls to server/tests/writes/<area>.py, and an object of the kind to server/tests/factories/settlements.py"
    )
    assert listed - existing == set(), "in the table, but gone"
