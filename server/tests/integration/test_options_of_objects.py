"""OPTIONS of every writing route answer every caller about objects that exist, and never with a 5xx."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from postern.apps.users.models import User
from postern.kernel.ids import ROOT_ORG_ID
from writes.table import AREAS
from writes.trial import prepared, undone
from writes.world import World

#: 405: a page without fields to describe. 307 and 308: a path of an earlier release.
ANSWERS = {200, 301, 302, 307, 308, 401, 403, 404, 405}

pytestmark = pytest.mark.any_database


@pytest.mark.django_db
@pytest.mark.parametrize("area", list(AREAS))
def test_options_of_every_writing_route_is_answered_about_objects_that_exist(
    world: World, client_of: Callable[[User | None], APIClient], area: str
) -> None:
    """The walk of `test_every_route_answers` names objects that nobody has, and no component asks there."""
    person = User.objects.get(pk=world.values["users/users"])
    callers = {name: world.client(name) for name in ("admin", "proxy", "bootstrap", "stranger")}
    callers["person"] = client_of(person)
    callers["person"].raise_request_exception = False
    differing = {}
    for write in AREAS[area]:
        with undone():
            url = prepared(write, world).url
            for name, client in callers.items():
                for headers in ({}, {"X-JMS-ORG": str(ROOT_ORG_ID)}):
                    status = client.options(url, headers=headers).status_code
                    if status not in ANSWERS:
                        differing[f"{name} {url} {headers}"] = status
    assert differing == {}
