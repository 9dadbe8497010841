"""OPTIONS and HEAD of every route answer every role, and never with a 5xx."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from endpoints import HTTP, ROLES
from postern.apps.users.models import User
from postern.kernel.ids import ROOT_ORG_ID
from writes.table import AREAS
from writes.trial import prepared, undone
from writes.world import World, found_world

URLS = sorted({endpoint.url for endpoint in HTTP})
READS = {endpoint.url for endpoint in HTTP if endpoint.method == "GET"}
#: 405: a page without fields to describe. 307 and 308: a path of an earlier release.
ANSWERS = {200, 301, 302, 307, 308, 401, 403, 404, 405}
SIZES = ("", "?format=csv", "?fields_size=mini&display=1&draw=1", "?limit=1&offset=0&order=-pk")

pytestmark = pytest.mark.any_database


@pytest.fixture(params=ROLES)
def client(
    request: pytest.FixtureRequest,
    licensed: None,
    people: dict[str, User],
    client_of: Callable[[User | None], APIClient],
) -> APIClient:
    client = client_of(people.get(request.param))
    client.raise_request_exception = False
    return client


@pytest.mark.django_db
def test_options_of_every_route_is_answered(client: APIClient) -> None:
    statuses = {f"{url}{query}": client.options(f"{url}{query}").status_code for url in URLS for query in SIZES[:2]}
    assert {url: status for url, status in statuses.items() if status not in ANSWERS} == {}


@pytest.fixture
def world(licensed: None, make_user: Callable[..., User], settings: Any) -> World:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *settings.PASSWORD_HASHERS]
    return found_world(make_user)


@pytest.mark.django_db
@pytest.mark.parametrize("area", list(AREAS))
def test_options_of_every_writing_route_is_answered_about_objects_that_exist(
    world: World, client_of: Callable[[User | None], APIClient], area: str
) -> None:
    """The walk above names objects that nobody has, and no component asks there."""
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


@pytest.mark.django_db
def test_head_of_every_route_is_answered_like_get_without_a_body(client: APIClient) -> None:
    differing = {}
    for url in sorted(READS):
        for query in ("", SIZES[3]):
            got, head = client.get(f"{url}{query}"), client.head(f"{url}{query}")
            same = got.status_code == head.status_code and got.get("Content-Type") == head.get("Content-Type")
            body = b"".join(head.streaming_content) if head.streaming else head.content
            if not same or body or (head.status_code >= 500 and head.status_code != 503):
                differing[f"{url}{query}"] = (got.status_code, head.status_code, len(body))
    assert differing == {}


@pytest.mark.django_db
def test_head_of_a_route_without_get_is_refused_as_get_is(client: APIClient) -> None:
    writes = sorted(set(URLS) - READS)
    assert {url for url in writes if client.head(url).status_code not in {401, 403, 404, 405}} == set()
