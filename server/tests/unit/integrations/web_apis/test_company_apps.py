"""The clients of WeCom, DingTalk and FeiShu against stand-ins that check every parameter."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache
from django.utils import translation

from peers.company_apps import SECRET, Dingtalk, Feishu, Service, Somebody, Wecom, serving
from postern.foundation.network import outbound
from postern.integrations.dingtalk import client as dingtalk
from postern.integrations.dingtalk.client import DingtalkApp
from postern.integrations.feishu import client as feishu
from postern.integrations.feishu.client import FeishuApp
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.failures import Fault, WebApiFailed
from postern.integrations.web_apis.person import Person
from postern.integrations.wecom import client as wecom
from postern.integrations.wecom.client import WecomApp
from postern.kernel.secret import Secret

BACK = "https://gate.example.com/core/auth/x/qr/login/callback/"
STATE = "a1" * 16
VERIFIER = "v" * 43


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    cache.clear()
    with translation.override("en"):
        yield


@pytest.fixture
def at_wecom() -> Iterator[Wecom]:
    yield from _checked(Wecom())


@pytest.fixture
def at_dingtalk() -> Iterator[Dingtalk]:
    yield from _checked(Dingtalk(person=Somebody("corp-1", "union-1")))


@pytest.fixture
def at_feishu() -> Iterator[Feishu]:
    yield from _checked(Feishu(person=Somebody("tenant-1", "ou_1")))


def _checked(service: Any) -> Iterator[Any]:
    with serving(service):
        yield service
    assert service.problems == []


def calls() -> WebCalls:
    return WebCalls(check=outbound.check_dial, limit_s=5)


def wecom_app(service: Service, **more: Any) -> WecomApp:
    values: dict[str, Any] = {"corp_id": "corp-1", "agent_id": "1000002", "secret": SECRET, **more}
    return WecomApp(
        **{**values, "secret": Secret(values["secret"])},
        api_url=f"{service.base}/cgi-bin",
        qr_url=f"{service.base}/wwlogin/sso/login",
        oauth_url=f"{service.base}/connect/oauth2/authorize",
    )


def dingtalk_app(service: Service, **more: Any) -> DingtalkApp:
    values: dict[str, Any] = {"corp_id": "corp-1", "app_key": "dingkey1", "app_secret": SECRET, **more}
    values["app_secret"] = Secret(values["app_secret"])
    return DingtalkApp(
        **{"agent_id": "41", "message_url": service.base, **values},
        api_url=f"{service.base}/v1.0",
        authorize_url=f"{service.base}/oauth2/auth",
    )


def feishu_app(service: Service, **more: Any) -> FeishuApp:
    values: dict[str, Any] = {"tenant_key": "tenant-1", "app_id": "cli_a1", "app_secret": SECRET, **more}
    values["app_secret"] = Secret(values["app_secret"])
    return FeishuApp(
        **values,
        api_url=f"{service.base}/open-apis",
        authorize_url=f"{service.base}/open-apis/authen/v1/authorize",
    )


def came_back(service: Service, url: str) -> dict[str, str]:
    """The parameters with which the authorisation page sends the browser back."""
    page = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(page.query).items()}
    back = urlsplit(service.pages()[page.path](query))
    assert back.geturl().startswith(BACK)
    return {name: values[0] for name, values in parse_qs(back.query).items()}


# --- WeCom ---


@pytest.mark.parametrize("agent", ["Mozilla/5.0 Chrome/156", "Mozilla/5.0 wxwork/4.1.0 MicroMessenger/7.0.1"])
def test_wecom_tells_who_signed_in(at_wecom: Wecom, agent: str) -> None:
    app = wecom_app(at_wecom)
    back = came_back(at_wecom, wecom.authorize_url(app, redirect_uri=BACK, state=STATE, user_agent=agent))
    assert back["state"] == STATE
    assert wecom.person_of(app, calls(), back["code"]) == Person("corp-1", "annli", "AnnLi")


def test_wecom_inside_its_own_browser_asks_without_a_qr_code(at_wecom: Wecom) -> None:
    app = wecom_app(at_wecom)
    url = wecom.authorize_url(app, redirect_uri=BACK, state=STATE, user_agent="x wxwork/4.1")
    assert urlsplit(url).path == "/connect/oauth2/authorize"
    assert urlsplit(url).fragment == "wechat_redirect"


def test_wecom_gives_a_code_once(at_wecom: Wecom) -> None:
    app, code = wecom_app(at_wecom), at_wecom.code()
    wecom.person_of(app, calls(), code)
    with pytest.raises(WebApiFailed) as caught:
        wecom.person_of(app, calls(), code)
    assert (caught.value.fault, caught.value.provider_code) == (Fault.CODE, "40029")
    assert len(at_wecom.calls_to("/gettoken")) == 1  # the token of the application is cached


def test_wecom_ends_the_token_of_the_application(at_wecom: Wecom) -> None:
    app = wecom_app(at_wecom)
    wecom.person_of(app, calls(), at_wecom.code())
    at_wecom.now_s += 7300
    assert wecom.person_of(app, calls(), at_wecom.code()).subject == "annli"
    assert len(at_wecom.calls_to("/gettoken")) == 2


def test_wecom_refuses_a_person_outside_the_company(at_wecom: Wecom) -> None:
    at_wecom.person = Somebody("corp-1", "oAAA", is_stranger=True)
    with pytest.raises(WebApiFailed, match="not a member of the company"):
        wecom.person_of(wecom_app(at_wecom), calls(), at_wecom.code())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"corp_id": "corp-2"}, "does not know this corpid"),
        ({"secret": "other"}, "refuses the secret"),
        ({"agent_id": "7"}, "agentid does not belong"),
    ],
)
def test_wecom_test_names_what_is_wrong(at_wecom: Wecom, wrong: dict[str, str], words: str) -> None:
    with pytest.raises(WebApiFailed, match=words):
        wecom.check(wecom_app(at_wecom, **wrong), calls())


def test_wecom_test_succeeds(at_wecom: Wecom) -> None:
    assert wecom.check(wecom_app(at_wecom), calls()) == "堡垒机"


def test_wecom_names_the_address_that_is_not_listed(at_wecom: Wecom) -> None:
    at_wecom.may_call = False
    with pytest.raises(WebApiFailed, match=r"calls from this server \(203\.0\.113\.9\)"):
        wecom.check(wecom_app(at_wecom), calls())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"errcode": -1, "errmsg": "system busy"}, "busy"),
        ({"errcode": 45009, "errmsg": ""}, "limit is reached"),
        ({"errcode": 50001, "errmsg": ""}, "authorised callback domain"),
        ({"errcode": 99999, "errmsg": "<b>x</b>"}, "code 99999"),
        ({"errcode": 60020, "errmsg": "from ip: <script>"}, "from the address of this server"),
        ({"errmsg": "no code"}, "not the expected service"),
        ({"errcode": "0"}, "not the expected service"),
        ({"errcode": 0}, "not the expected service"),
        ({"errcode": 0, "userid": ["a"]}, "not the expected service"),
        ({"errcode": 0, "userid": ""}, "not the expected service"),
    ],
)
def test_wecom_answers_that_name_nobody(at_wecom: Wecom, answer: dict[str, Any], words: str) -> None:
    at_wecom.instead.append(("/getuserinfo", (200, answer)))
    with pytest.raises(WebApiFailed, match=words):
        wecom.person_of(wecom_app(at_wecom), calls(), at_wecom.code())


# --- DingTalk ---


def test_dingtalk_tells_who_signed_in(at_dingtalk: Dingtalk) -> None:
    app = dingtalk_app(at_dingtalk)
    back = came_back(at_dingtalk, dingtalk.authorize_url(app, redirect_uri=BACK, state=STATE))
    assert back["state"] == STATE
    assert dingtalk.person_of(app, calls(), back["authCode"]) == Person("corp-1", "union-1", "Ann Li")


def test_dingtalk_gives_a_code_once(at_dingtalk: Dingtalk) -> None:
    app, code = dingtalk_app(at_dingtalk), at_dingtalk.code()
    dingtalk.person_of(app, calls(), code)
    with pytest.raises(WebApiFailed) as caught:
        dingtalk.person_of(app, calls(), code)
    assert caught.value.fault is Fault.CODE


@pytest.mark.parametrize(
    ("corp_id", "words"), [("corp-2", "for another company"), ("", "came from the company corp-1")]
)
def test_dingtalk_refuses_another_company(at_dingtalk: Dingtalk, corp_id: str, words: str) -> None:
    with pytest.raises(WebApiFailed, match=words):
        dingtalk.person_of(dingtalk_app(at_dingtalk, corp_id=corp_id), calls(), at_dingtalk.code())
    assert at_dingtalk.calls_to("/me") == []


def test_dingtalk_names_the_missing_permission(at_dingtalk: Dingtalk) -> None:
    at_dingtalk.may_read = False
    with pytest.raises(WebApiFailed, match=r"Contact\.User\.Read"):
        dingtalk.person_of(dingtalk_app(at_dingtalk), calls(), at_dingtalk.code())


@pytest.mark.parametrize("wrong", [{"app_key": "k2"}, {"app_secret": "other"}])
def test_dingtalk_test_names_what_is_wrong(at_dingtalk: Dingtalk, wrong: dict[str, str]) -> None:
    with pytest.raises(WebApiFailed, match="refuses AppKey or AppSecret"):
        dingtalk.check(dingtalk_app(at_dingtalk, **wrong), calls())


def test_dingtalk_test_succeeds(at_dingtalk: Dingtalk) -> None:
    dingtalk.check(dingtalk_app(at_dingtalk), calls())


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (200, {"errcode": 60020, "errmsg": ""}, "server egress IP"),
        (200, {"errcode": 40078, "errmsg": ""}, "used or has expired"),
        (200, {"errcode": 12, "errmsg": ""}, "code 12"),
        (503, {"code": "ServiceUnavailable"}, "busy"),
        (400, {"code": "somethingNew"}, "code somethingNew"),
        (400, {}, "not the expected service"),
        (200, {}, "not the expected service"),
        (200, {"accessToken": "t"}, "not the expected service"),
    ],
)
def test_dingtalk_answers_that_name_nobody(
    at_dingtalk: Dingtalk, status: int, answer: dict[str, Any], words: str
) -> None:
    at_dingtalk.instead.append(("/userAccessToken", (status, answer)))
    with pytest.raises(WebApiFailed, match=words):
        dingtalk.person_of(dingtalk_app(at_dingtalk), calls(), at_dingtalk.code())


# --- FeiShu ---


def feishu_code(at_feishu: Feishu, app: FeishuApp) -> str:
    url = feishu.authorize_url(app, redirect_uri=BACK, state=STATE, verifier=VERIFIER)
    back = came_back(at_feishu, url)
    assert back["state"] == STATE
    return back["code"]


def test_feishu_tells_who_signed_in(at_feishu: Feishu) -> None:
    app = feishu_app(at_feishu)
    person = feishu.person_of(app, calls(), feishu_code(at_feishu, app), redirect_uri=BACK, verifier=VERIFIER)
    assert person == Person("tenant-1", "ou_1", "Ann Li")


def test_feishu_gives_a_code_once_and_to_the_right_verifier(at_feishu: Feishu) -> None:
    app = feishu_app(at_feishu)
    code = feishu_code(at_feishu, app)
    feishu.person_of(app, calls(), code, redirect_uri=BACK, verifier=VERIFIER)
    stolen = feishu_code(at_feishu, app)
    for again, verifier in ((code, VERIFIER), (stolen, "w" * 43)):
        with pytest.raises(WebApiFailed) as caught:
            feishu.person_of(app, calls(), again, redirect_uri=BACK, verifier=verifier)
        assert caught.value.fault is Fault.CODE


def test_feishu_names_a_wrong_redirect(at_feishu: Feishu) -> None:
    app = feishu_app(at_feishu)
    code = feishu_code(at_feishu, app)
    with pytest.raises(WebApiFailed, match="redirect URL"):
        feishu.person_of(app, calls(), code, redirect_uri=f"{BACK}x", verifier=VERIFIER)


@pytest.mark.parametrize(
    ("tenant_key", "words"), [("tenant-2", "belongs to another company"), ("", "came from the company tenant-1")]
)
def test_feishu_refuses_another_company(at_feishu: Feishu, tenant_key: str, words: str) -> None:
    app = feishu_app(at_feishu, tenant_key=tenant_key)
    with pytest.raises(WebApiFailed, match=words):
        feishu.person_of(app, calls(), feishu_code(at_feishu, app), redirect_uri=BACK, verifier=VERIFIER)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [({"app_id": "cli_b"}, "does not know this App ID"), ({"app_secret": "x"}, "refuses the App Secret")],
)
def test_feishu_test_names_what_is_wrong(at_feishu: Feishu, wrong: dict[str, str], words: str) -> None:
    with pytest.raises(WebApiFailed, match=words):
        feishu.check(feishu_app(at_feishu, **wrong), calls())


def test_feishu_test_succeeds(at_feishu: Feishu) -> None:
    feishu.check(feishu_app(at_feishu), calls())


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (400, {"code": 20010}, "must add you"),
        (200, {"code": 99991400}, "limit is reached"),
        (400, {"code": 4711}, "code 4711"),
        (400, {"code": 0}, "not the expected service"),
        (200, {"code": 0, "access_token": 5}, "not the expected service"),
        (200, {"access_token": "t"}, "not the expected service"),
    ],
)
def test_feishu_answers_that_name_nobody(at_feishu: Feishu, status: int, answer: dict[str, Any], words: str) -> None:
    at_feishu.instead.append(("/oauth/token", (status, answer)))
    app = feishu_app(at_feishu)
    with pytest.raises(WebApiFailed, match=words):
        feishu.person_of(app, calls(), feishu_code(at_feishu, app), redirect_uri=BACK, verifier=VERIFIER)


@pytest.mark.parametrize("code", ["", "c" * 513])
def test_codes_that_no_service_gives_are_not_sent(
    at_wecom: Wecom, at_dingtalk: Dingtalk, at_feishu: Feishu, code: str
) -> None:
    with pytest.raises(WebApiFailed):
        wecom.person_of(wecom_app(at_wecom), calls(), code)
    with pytest.raises(WebApiFailed):
        dingtalk.person_of(dingtalk_app(at_dingtalk), calls(), code)
    with pytest.raises(WebApiFailed):
        feishu.person_of(feishu_app(at_feishu), calls(), code, redirect_uri=BACK, verifier=VERIFIER)
    assert at_wecom.asked == at_dingtalk.asked == at_feishu.asked == []
