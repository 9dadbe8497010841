"""What the API promises of every plain resource: the declarations in `tests/declarations` say which there are."""

from typing import Any

import pytest
from django.urls import resolve
from rest_framework.test import APIClient

from declarations import PLAIN
from declarations.plain import Plain
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.plain import PlainResourceViewSet
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.parametrize("resource", PLAIN, ids=lambda resource: resource.path),
]


def viewset_of(resource: Plain) -> Any:
    view: Any = resolve(resource.url).func
    return view.cls


def make(resource: Plain, title: str = "north") -> Any:
    return viewset_of(resource).writes.create(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values=resource.called(title))


def test_plain_resource_is_declared_under_the_name_of_its_model(resource: Plain) -> None:
    viewset = viewset_of(resource)
    assert issubclass(viewset, PlainResourceViewSet)
    assert viewset.queryset.model.__name__ == resource.kind
    assert set(viewset.writes.lists) == set(resource.empty_lists)


def test_new_object_is_returned_as_it_was_sent(resource: Plain, as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(resource.url, dict(resource.values))
    assert answer.status_code == 201, answer.data
    row = answer.json()
    given = {"id", "comment", "date_created", "org_id", "org_name"}
    declared = {*resource.values, *resource.empty_lists, *resource.more, *given}
    assert set(row) == declared, "name the fields of the API in tests/declarations"
    assert {**resource.values, **resource.empty_lists}.items() <= row.items()
    assert as_org_admin.get(f"{resource.url}{row['id']}/").json() == row


def test_name_is_unique_in_its_organization(resource: Plain, as_admin: APIClient) -> None:
    branch, root = str(Organization.objects.create(name="Branch").pk), str(ROOT_ORG_ID)
    body = dict(resource.values)
    assert as_admin.post(resource.url, body).status_code == 201
    second = as_admin.post(resource.url, body)
    assert (second.status_code, set(second.json())) == (400, set(resource.unique or {resource.title}))
    assert as_admin.post(resource.url, body, headers={"X-JMS-ORG": branch}).status_code == 201
    assert as_admin.post(resource.url, body, headers={"X-JMS-ORG": root}).status_code == 400


@pytest.mark.parametrize("value", [None, "", "n" * 129, []])
def test_object_without_a_valid_name_is_refused(resource: Plain, value: Any, as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(resource.url, {**resource.values, resource.title: value}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {resource.title})
    assert not viewset_of(resource).queryset.model.objects.exists()


def test_list_is_searched_and_ordered_by_name(resource: Plain, as_org_admin: APIClient) -> None:
    for title in ("north", "south"):
        make(resource, title)

    def titles(query: str) -> list[str]:
        return [row[resource.title] for row in as_org_admin.get(f"{resource.url}?{query}").json()]

    assert titles("search=SOU") == ["south"]
    assert titles(f"order=-{resource.title}") == ["south", "north"]


def test_export_holds_the_object_and_is_recorded(resource: Plain, as_org_admin: APIClient) -> None:
    make(resource)
    answer: Any = as_org_admin.get(f"{resource.url}?format=csv")
    assert "north" in b"".join(answer.streaming_content).decode("utf-8-sig")
    assert AuditEvent.objects.filter(event=f"{resource.kind.lower()}.exported").count() == 1


def test_only_administrators_of_the_organization_get_in(
    resource: Plain, as_user: APIClient, as_auditor: APIClient, as_anonymous: APIClient
) -> None:
    row = make(resource)
    for client in (as_user, as_auditor, as_anonymous):
        assert client.get(resource.url).status_code in {401, 403}
        assert client.delete(f"{resource.url}{row.pk}/").status_code in {401, 403}
    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.usefixtures("licensed")
def test_organization_that_has_an_object_cannot_be_deleted(resource: Plain, as_admin: APIClient) -> None:
    org_id = as_admin.post("/api/v1/orgs/orgs/", {"name": "Branch"}).json()["id"]
    row = viewset_of(resource).writes.create(actor=SYSTEM, org_id=org_id, values=resource.called("north"))
    url = f"/api/v1/orgs/orgs/{org_id}/"
    refused = as_admin.delete(url)
    assert refused.status_code == 403, refused.data
    assert "(1)" in refused.json()["detail"]
    row.delete()
    assert as_admin.delete(url).status_code == 204
