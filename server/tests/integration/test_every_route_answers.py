"""OPTIONS and HEAD of every route answer every role, and never with a 5xx."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from endpoints import HTTP, ROLES
from postern.apps.users.models import User

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
