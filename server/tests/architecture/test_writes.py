"""Every route that could write is in the table of writes, whose calls `tests/integration/test_write_proofs.py` tries."""

from endpoints import HTTP
from writes.table import AREAS

#: GETs that act: `test_acting_gets.py` finds them; the page that signs out is one as well.
ACTING_GETS = {
    ("GET", "/api/v1/users/users/<pk>/otp/reset/"),
    ("GET", "/api/v1/perms/asset-permissions/cache/refresh/"),
    ("GET", "/core/auth/logout/"),
}


def test_every_route_that_could_write_is_in_the_table() -> None:
    listed = {(write.method, write.path) for writes in AREAS.values() for write in writes}
    existing = {(one.method, one.path) for one in HTTP if one.method not in {"GET", "HEAD"}} | ACTING_GETS
    assert existing - listed == set(), "not in the table"
    assert listed - existing == set(), "in the table, but gone"
