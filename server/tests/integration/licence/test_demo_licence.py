"""The licence that `make demo` installs."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from factories.licences import forget_issuers, today
from postern.entrypoints.demo.licence import issue_licence

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_issuer_afterwards() -> Iterator[None]:
    yield
    forget_issuers()


@pytest.mark.spec("S1-045")
def test_demo_issues_itself_a_licence_for_one_year_and_trusts_it(as_admin: APIClient) -> None:
    data = issue_licence(settings.POSTERN.home, today())
    upload = {"file": SimpleUploadedFile("licence.json", data)}
    assert as_admin.post("/api/v1/xpack/license/import", upload, format="multipart").json()["status"] is True
    detail = as_admin.get("/api/v1/xpack/license/detail").json()
    assert (detail["is_valid"], detail["days_left"]) == (True, 365)
    assert detail["date_expired"] == (today() + timedelta(days=365)).isoformat()
    again = issue_licence(settings.POSTERN.home, today())
    assert len(list((settings.POSTERN.home / "licence" / "trusted").glob("*.pub"))) == 1, "one key, kept"
    assert again == data
