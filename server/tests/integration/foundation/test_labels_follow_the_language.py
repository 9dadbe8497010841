"""Labels of columns are in the language of each request, not in that of the first request of the process."""

import pytest
from rest_framework.test import APIClient

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("path", "field", "chinese", "english"),
    [
        ("/api/v1/users/users/", "name", "名称", "Name"),
        ("/api/v1/users/users/", "username", "用户名", "Username"),
        ("/api/v1/assets/assets/", "hostname", "主机名", "Hostname"),
        ("/api/v1/assets/assets/", "connectivity", "可连接性", "Connectivity"),
    ],
)
def test_labels_follow_the_language(as_org_admin: APIClient, path: str, field: str, chinese: str, english: str) -> None:
    for language, label in (("en", english), ("zh-hans", chinese), ("en", english)):
        answer = as_org_admin.options(path, HTTP_ACCEPT_LANGUAGE=language).json()
        assert answer["actions"]["GET"][field]["label"] == label
