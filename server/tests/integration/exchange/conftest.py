"""Rows to export."""

from typing import Any

import pytest
from rest_framework.test import APIClient
from spreadsheets import ASSETS


@pytest.fixture
def in_english(as_org_admin: APIClient) -> APIClient:
    """A client of an organization administrator who reads English."""
    as_org_admin.cookies["django_language"] = "en"
    return as_org_admin


@pytest.fixture
def assets(in_english: APIClient) -> list[dict[str, Any]]:
    """Two assets with labels, nodes and protocols."""
    label = in_english.post("/api/v1/assets/labels/", {"name": "stage", "value": "生产"})
    assert label.status_code == 201, label.json()
    payloads = [
        {"hostname": "web-1", "ip": "203.0.113.1", "platform": "Linux", "protocols": ["ssh/22", "rdp/3389"],
         "labels": [label.json()["id"]], "comment": 'first\nsecond "quoted", comma'},
        {"hostname": "数据库-2", "ip": "203.0.113.2", "platform": "Windows", "protocols": ["rdp/3389"],
         "is_active": False, "cpu_count": 4},
    ]  # fmt: skip
    made = []
    for payload in payloads:
        answer = in_english.post(ASSETS, payload)
        assert answer.status_code == 201, answer.json()
        made.append(answer.json())
    return made
