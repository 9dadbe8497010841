import pytest
from django.test import Client, override_settings


@override_settings(ALLOWED_HOSTS=["console.example.com"])
@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/v1/settings/public/", "/ui/", "/api/v1/users/profile/"])
def test_request_for_an_unknown_host_name_is_refused(path: str) -> None:
    assert Client().get(path, headers={"host": "evil.example"}).status_code == 400
    assert Client().get(path, headers={"host": "console.example.com"}).status_code != 400
