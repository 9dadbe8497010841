"""`applications/remote-apps/{id}/connection-info/`: what a proxy is told about starting a remote app."""

import json
from uuid import uuid4

import pytest
from django.test import Client

from factories.grants import make_application, make_asset
from factories.proxy_client import Proxy
from postern.apps.applications.facade import DECLARATIONS
from postern.foundation import licensing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("licensed")]
CANARY = "canary-of-a-remote-app"


def url(key: object) -> str:
    return f"/api/v1/applications/remote-apps/{key}/connection-info/"


def test_proxy_learns_how_to_start_the_program_and_no_secret(proxy: Proxy, http: Client) -> None:
    host = make_asset(platform="Windows", protocols=["rdp/3389"])
    path = DECLARATIONS["chrome"].attributes[1].default
    row = make_application(
        "wiki", kind="chrome", asset=host, path=path, chrome_target='https://wiki/?q="x"\\', chrome_password=CANARY
    )
    answer = http.get(url(row.pk), headers=proxy.headers)
    assert answer.status_code == 200
    assert CANARY not in answer.content.decode()
    assert json.loads(answer.content) == {
        "id": str(row.pk),
        "name": "wiki",
        "asset": str(host.pk),
        "parameter_remote_app": {
            "program": "||jmservisor",
            "working_directory": "",
            "parameters": (
                r'chrome "C:\Program Files (x86)\Google\Chrome\Application\chrome.exe" "https://wiki/?q=\"x\"\\"'
            ),
        },
    }


def test_only_accepted_proxies_ask_and_only_for_remote_apps(proxy: Proxy, http: Client) -> None:
    row = make_application("wiki", kind="chrome", asset=make_asset(platform="Windows", protocols=["rdp/3389"]))
    assert http.get(url(row.pk)).status_code == 401
    waiting = Proxy(http, "proxy-2", accepted=False)
    assert http.get(url(row.pk), headers=waiting.headers).status_code == 401
    for key in (uuid4(), make_application("orders").pk):
        assert http.get(url(key), headers=proxy.headers).status_code == 404
    with licensing.LICENCE.replaced(lambda: False):
        assert http.get(url(row.pk), headers=proxy.headers).status_code == 403
