"""Forms, bulk calls and imports refuse names, subjects and comments with characters that make them look like other
text.
"""

import pytest
from rest_framework.test import APIClient

from postern.apps.users.models import User

pytestmark = [pytest.mark.timeout(600), pytest.mark.django_db]

TURNED = "\u202egnp.exe"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_refusal_names_the_refused_character(as_org_admin: APIClient, language: str) -> None:
    answer = as_org_admin.post(
        "/api/v1/users/groups/", {"name": f"ops{TURNED}"}, format="json", headers={"Accept-Language": language}
    )
    assert answer.status_code == 400
    (message,) = answer.json()["name"]
    assert "U+202E" in message
    assert message.isascii() == (language == "en")


def test_comment_may_have_line_breaks_but_no_reversed_text(as_org_admin: APIClient) -> None:
    url = "/api/v1/users/groups/"
    assert as_org_admin.post(url, {"name": "a", "comment": "one\ntwo"}, format="json").status_code == 201
    assert as_org_admin.post(url, {"name": "b", "comment": f"one\n{TURNED}"}, format="json").status_code == 400


@pytest.mark.parametrize("instant", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "1899-12-31T00:00:00Z"])
def test_instant_at_the_edge_of_the_calendar_is_refused_in_filters_and_bodies(
    as_org_admin: APIClient, people: dict[str, User], instant: str
) -> None:
    """A stored instant at the edge of the calendar would break every list for readers in another time zone."""
    listed = as_org_admin.get("/api/v1/audits/login-logs/", {"date_from": instant, "date_to": instant})
    assert listed.status_code == 400
    assert set(listed.json()) == {"date_from", "date_to"}
    changed = as_org_admin.patch(f"/api/v1/users/users/{people['user'].pk}/", {"date_expired": instant}, format="json")
    assert changed.status_code == 400
    assert set(changed.json()) == {"date_expired"}


@pytest.mark.parametrize("address", ["no address", "1.2.3", "::g", "1.2.3.4/8", "1.2.3.4,5.6.7.8"])
def test_filter_by_an_invalid_address_is_refused_on_every_database(as_org_admin: APIClient, address: str) -> None:
    answer = as_org_admin.get("/api/v1/audits/login-logs/", {"ip": address})
    assert (answer.status_code, set(answer.json())) == (400, {"ip"})
