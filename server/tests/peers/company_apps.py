"""Stand in for WeCom, DingTalk and FeiShu, which cannot be reached here.

Written from their documented calls. Each checks method, path, every parameter and its type, gives a code once, ends
tokens by a clock that tests move, and redirects a browser back from its authorisation page. `problems` lists every call
that the real service would not understand. Faults are switched on by the tests.
"""

import base64
import hashlib
import json
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

SECRET: Final = "k4-Secret-of-the-app"
TOKEN_LIFETIME_S: Final = 7200

Answer = tuple[int, Any]


@dataclass(frozen=True)
class Somebody:
    """A person at the service. `tenant`: their company."""

    tenant: str
    subject: str
    name: str = "Ann Li"
    #: WeCom: a person outside the company.
    is_stranger: bool = False


@dataclass
class Asked:
    """A call as the service received it."""

    method: str
    path: str
    query: dict[str, str]
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass
class _Grant:
    person: Somebody
    redirect_uri: str = ""
    challenge: str = ""


@dataclass
class Service:
    """What all three have in common."""

    person: Somebody = field(default_factory=lambda: Somebody("corp-1", "AnnLi"))
    port: int = 0
    now_s: float = 0.0
    codes: dict[str, _Grant] = field(default_factory=dict)
    tokens: dict[str, float] = field(default_factory=dict)
    owners: dict[str, Somebody] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    #: Answers that are given instead of the right ones, first in first out: by path ending.
    instead: deque[tuple[str, Answer]] = field(default_factory=deque)
    #: "html", "silent", "drip", "redirect", "huge", "list", "gzip": how every call is answered.
    manner: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    #: Messages as they arrived at people: (subject, text). A second copy does not arrive.
    delivered: list[tuple[str, str]] = field(default_factory=list)
    #: Members whom the service does not know.
    unknown: set[str] = field(default_factory=set)
    _seen: set[Any] = field(default_factory=set)
    #: Called when a message has arrived and before the answer is given.
    before_answer: Callable[[], None] = lambda: None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def calls_to(self, ending: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.path.endswith(ending)]

    def code(self, *, redirect_uri: str = "", challenge: str = "") -> str:
        """A code of `person`, as the authorisation page gives it."""
        code = secrets.token_urlsafe(24)
        self.codes[code] = _Grant(self.person, redirect_uri, challenge)
        return code

    def new_token(self) -> str:
        token = secrets.token_urlsafe(32)
        self.tokens[token] = self.now_s + TOKEN_LIFETIME_S
        return token

    def is_valid(self, token: str) -> bool:
        return self.tokens.get(token, -1.0) > self.now_s

    def taken(self, code: str) -> _Grant | None:
        return self.codes.pop(code, None)

    def expect(self, asked: Asked, *, query: Mapping[str, type] = {}, body: Mapping[str, type] = {}) -> None:
        """Note parameters that are missing, unknown, empty, or of another type."""
        for where, given, wanted in (("query", asked.query, query), ("body", asked.body, body)):
            if set(given) != set(wanted):
                self.problems.append(f"{asked.path} {where}: {sorted(given)} instead of {sorted(wanted)}")
            self.problems += [
                f"{asked.path} {where} {name}: {given[name]!r}"
                for name, kind in wanted.items()
                if name in given and (not isinstance(given[name], kind) or given[name] == "")
            ]

    def deliver(self, subject: str, text: str, key: Any) -> None:
        """Give a message to a person unless one with the same key arrived before."""
        if key not in self._seen:
            self._seen.add(key)
            self.delivered.append((subject, text))

    def check_text(self, text: str, most_bytes: int = 2048) -> None:
        if len(text.encode()) > most_bytes:
            self.problems.append(f"a text of {len(text.encode())} bytes")

    def routes(self) -> Mapping[tuple[str, str], Callable[[Asked], Answer]]:
        raise NotImplementedError

    def pages(self) -> Mapping[str, Callable[[dict[str, str]], str]]:
        """Authorisation pages: path → where the browser goes."""
        raise NotImplementedError

    def answer(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        for given in list(self.instead):
            if asked.path.endswith(given[0]):
                self.instead.remove(given)
                return given[1]
        route = self.routes().get((asked.method, asked.path))
        if route is None:
            self.problems.append(f"unknown call {asked.method} {asked.path}")
            return 404, {"errcode": 404, "errmsg": "not found"}
        return route(asked)


@dataclass
class Wecom(Service):
    """`qyapi.weixin.qq.com/cgi-bin` and the two pages."""

    corp_id: str = "corp-1"
    agent_id: str = "1000002"
    secret: str = SECRET
    may_call: bool = True
    unlicensed: set[str] = field(default_factory=set)

    def routes(self) -> Mapping[tuple[str, str], Callable[[Asked], Answer]]:
        return {
            ("GET", "/cgi-bin/gettoken"): self._token,
            ("GET", "/cgi-bin/auth/getuserinfo"): self._person,
            ("GET", "/cgi-bin/agent/get"): self._agent,
            ("POST", "/cgi-bin/message/send"): self._message,
        }

    def _message(self, asked: Asked) -> Answer:
        self.expect(
            asked,
            query={"access_token": str},
            body={
                "touser": str,
                "msgtype": str,
                "agentid": int,
                "text": dict,
                "enable_duplicate_check": int,
                "duplicate_check_interval": int,
            },
        )
        refusal = self._refusal(asked)
        if refusal is not None:
            return 200, refusal
        body = asked.body
        users, text = str(body["touser"]).split("|"), body["text"]["content"]
        self.check_text(text)
        right = body["msgtype"] == "text" and set(body["text"]) == {"content"} and body["enable_duplicate_check"] == 1
        if not right or len(users) > 1000 or not 0 < body["duplicate_check_interval"] <= 14400:
            self.problems.append(f"message {body}")
        if str(body["agentid"]) != self.agent_id:
            return 200, {"errcode": 40056, "errmsg": "invalid agentid"}
        known = [user for user in users if user.lower() not in self.unknown | self.unlicensed]
        if not [user for user in users if user.lower() not in self.unknown]:
            return 200, {"errcode": 81013, "errmsg": "user & party & tag all invalid"}
        for user in known:
            self.deliver(user, text, (tuple(users), user, text))
        self.before_answer()
        return 200, {
            "errcode": 0,
            "errmsg": "ok",
            # WeCom answers in its own case.
            "invaliduser": "|".join(user.title() for user in users if user.lower() in self.unknown),
            "unlicenseduser": "|".join(user for user in users if user.lower() in self.unlicensed),
            "msgid": "m1",
        }

    def pages(self) -> Mapping[str, Callable[[dict[str, str]], str]]:
        return {"/wwlogin/sso/login": self._qr, "/connect/oauth2/authorize": self._direct}

    def _token(self, asked: Asked) -> Answer:
        self.expect(asked, query={"corpid": str, "corpsecret": str})
        if asked.query.get("corpid") != self.corp_id:
            return 200, {"errcode": 40013, "errmsg": "invalid corpid"}
        if asked.query.get("corpsecret") != self.secret:
            return 200, {"errcode": 40001, "errmsg": "invalid credential"}
        return 200, {"errcode": 0, "errmsg": "ok", "access_token": self.new_token(), "expires_in": TOKEN_LIFETIME_S}

    def _refusal(self, asked: Asked) -> dict[str, Any] | None:
        if not self.may_call:
            text = "not allow to access from your ip, hint: [1], from ip: 203.0.113.9, more info at https://x"
            return {"errcode": 60020, "errmsg": text}
        token = asked.query.get("access_token", "")
        if not self.is_valid(token):
            code = 42001 if token in self.tokens else 40014
            return {"errcode": code, "errmsg": "access_token"}
        return None

    def _person(self, asked: Asked) -> Answer:
        self.expect(asked, query={"access_token": str, "code": str})
        refusal = self._refusal(asked)
        if refusal is not None:
            return 200, refusal
        grant = self.taken(asked.query.get("code", ""))
        if grant is None:
            return 200, {"errcode": 40029, "errmsg": "invalid code"}
        if grant.person.is_stranger:
            return 200, {"errcode": 0, "errmsg": "ok", "openid": grant.person.subject}
        return 200, {"errcode": 0, "errmsg": "ok", "userid": grant.person.subject, "user_ticket": "t"}

    def _agent(self, asked: Asked) -> Answer:
        self.expect(asked, query={"access_token": str, "agentid": str})
        refusal = self._refusal(asked)
        if refusal is not None:
            return 200, refusal
        if asked.query.get("agentid") != self.agent_id:
            return 200, {"errcode": 40056, "errmsg": "invalid agentid"}
        return 200, {"errcode": 0, "errmsg": "ok", "agentid": int(self.agent_id), "name": "堡垒机"}

    def _qr(self, query: dict[str, str]) -> str:
        names = {"login_type", "appid", "agentid", "redirect_uri", "state"}
        return self._back(query, names, query.get("login_type") == "CorpApp")

    def _direct(self, query: dict[str, str]) -> str:
        names = {"appid", "redirect_uri", "response_type", "scope", "state", "agentid"}
        return self._back(query, names, query.get("scope") == "snsapi_base" and query.get("response_type") == "code")

    def _back(self, query: dict[str, str], names: set[str], right: bool) -> str:
        if set(query) != names or not right or query.get("appid") != self.corp_id:
            self.problems.append(f"authorisation page: {query}")
        state = query.get("state", "")
        if not (state.isascii() and state.isalnum() and len(state) <= 128):
            self.problems.append(f"state {state!r}")
        return f"{query['redirect_uri']}?{urlencode({'code': self.code(), 'state': state})}"


@dataclass
class Dingtalk(Service):
    """`api.dingtalk.com/v1.0` and `login.dingtalk.com/oauth2/auth`."""

    app_key: str = "dingkey1"
    app_secret: str = SECRET
    may_read: bool = True
    #: Notices by number: their receivers.
    tasks: dict[int, list[str]] = field(default_factory=dict)
    forbidden: set[str] = field(default_factory=set)
    #: So many results come empty first.
    results_late: int = 0

    def routes(self) -> Mapping[tuple[str, str], Callable[[Asked], Answer]]:
        return {
            ("POST", "/v1.0/oauth2/accessToken"): self._app_token,
            ("POST", "/v1.0/oauth2/userAccessToken"): self._token,
            ("GET", "/v1.0/contact/users/me"): self._person,
            ("GET", "/gettoken"): self._old_token,
            ("POST", "/topapi/user/getbyunionid"): self._by_unionid,
            ("POST", "/topapi/message/corpconversation/asyncsend_v2"): self._notice,
            ("POST", "/topapi/message/corpconversation/getsendresult"): self._result,
        }

    def _old_token(self, asked: Asked) -> Answer:
        self.expect(asked, query={"appkey": str, "appsecret": str})
        if asked.query.get("appkey") != self.app_key or asked.query.get("appsecret") != self.app_secret:
            return 200, {"errcode": 40089, "errmsg": "不合法的corpid或corpsecret"}
        token = self.new_token()
        return 200, {"errcode": 0, "errmsg": "ok", "access_token": token, "expires_in": TOKEN_LIFETIME_S}

    def _old_refusal(self, asked: Asked) -> dict[str, Any] | None:
        if self.is_valid(asked.query.get("access_token", "")):
            return None
        return {"errcode": 40014, "errmsg": "不合法的access_token"}

    def _by_unionid(self, asked: Asked) -> Answer:
        self.expect(asked, query={"access_token": str}, body={"unionid": str})
        refusal = self._old_refusal(asked)
        if refusal is not None:
            return 200, refusal
        if asked.body["unionid"] in self.unknown:
            return 200, {"errcode": 60121, "errmsg": "找不到该用户"}
        return 200, {
            "errcode": 0,
            "errmsg": "ok",
            "result": {"contact_type": 0, "userid": f"user-{asked.body['unionid']}"},
        }

    def _notice(self, asked: Asked) -> Answer:
        self.expect(asked, query={"access_token": str}, body={"agent_id": int, "userid_list": str, "msg": dict})
        refusal = self._old_refusal(asked)
        if refusal is not None:
            return 200, refusal
        users, message = str(asked.body["userid_list"]).split(","), asked.body["msg"]
        if set(message) != {"msgtype", "text"} or set(message["text"]) != {"content"} or len(users) > 100:
            self.problems.append(f"message {message}")
        self.check_text(message["text"]["content"])
        task_id = len(self.tasks) + 100
        self.tasks[task_id] = users
        for user in users:
            if user not in self.forbidden:
                self.deliver(user, message["text"]["content"], (user, message["text"]["content"]))
        self.before_answer()
        return 200, {"errcode": 0, "errmsg": "ok", "task_id": task_id, "request_id": "r"}

    def _result(self, asked: Asked) -> Answer:
        self.expect(asked, query={"access_token": str}, body={"agent_id": int, "task_id": int})
        users = self.tasks.get(asked.body["task_id"], [])
        if self.results_late > 0:
            self.results_late -= 1
            return 200, {"errcode": 0, "errmsg": "ok", "send_result": {}}
        result = {
            "invalid_user_id_list": [],
            "forbidden_user_id_list": [user for user in users if user in self.forbidden],
            "failed_user_id_list": [],
            "read_user_id_list": [],
            "unread_user_id_list": [user for user in users if user not in self.forbidden],
            "forbidden_list": [
                {"code": "143105", "count": 1, "userid": user} for user in users if user in self.forbidden
            ],
        }
        return 200, {"errcode": 0, "errmsg": "ok", "send_result": result}

    def pages(self) -> Mapping[str, Callable[[dict[str, str]], str]]:
        return {"/oauth2/auth": self._page}

    def _app_token(self, asked: Asked) -> Answer:
        self.expect(asked, body={"appKey": str, "appSecret": str})
        if asked.body.get("appKey") != self.app_key or asked.body.get("appSecret") != self.app_secret:
            return 400, {
                "code": "invalidClientIdOrSecret",
                "message": "无效的clientId或者clientSecret",
                "requestid": "r",
            }
        return 200, {"accessToken": self.new_token(), "expireIn": TOKEN_LIFETIME_S}

    def _token(self, asked: Asked) -> Answer:
        self.expect(asked, body={"clientId": str, "clientSecret": str, "code": str, "grantType": str})
        if asked.body.get("clientId") != self.app_key or asked.body.get("clientSecret") != self.app_secret:
            return 400, {"code": "invalidClientIdOrSecret", "message": "无效的clientId或者clientSecret"}
        grant = self.taken(str(asked.body.get("code")))
        if grant is None or asked.body.get("grantType") != "authorization_code":
            return 400, {"code": "invalidParameter.authCode.notFound", "message": "不合法的临时授权码"}
        token = self.new_token()
        self.owners[token] = grant.person
        return 200, {
            "accessToken": token, "refreshToken": secrets.token_urlsafe(16), "expireIn": 7200,
            "corpId": grant.person.tenant,
        }  # fmt: skip

    def _person(self, asked: Asked) -> Answer:
        self.expect(asked)
        token = asked.headers.get("x-acs-dingtalk-access-token", "")
        if not self.is_valid(token) or token not in self.owners:
            return 400, {"code": "InvalidAuthentication", "message": "不合法的access_token"}
        if not self.may_read:
            return 403, {
                "code": "Forbidden.AccessDenied.AccessTokenPermissionDenied",
                "message": "没有调用该接口的权限",
            }
        person = self.owners[token]
        return 200, {
            "unionId": person.subject,
            "openId": "o",
            "nick": person.name,
            "mobile": "1",
            "email": "boss@corp.example",
        }

    def _page(self, query: dict[str, str]) -> str:
        wanted = {"client_id": self.app_key, "response_type": "code", "scope": "openid corpid", "prompt": "consent"}
        if {**query, **wanted} != query or set(query) != {*wanted, "redirect_uri", "state"}:
            self.problems.append(f"authorisation page: {query}")
        return f"{query['redirect_uri']}?{urlencode({'authCode': self.code(), 'state': query['state']})}"


@dataclass
class Feishu(Service):
    """`open.feishu.cn/open-apis` and `accounts.feishu.cn`."""

    app_id: str = "cli_a1"
    app_secret: str = SECRET
    has_bot: bool = True

    def routes(self) -> Mapping[tuple[str, str], Callable[[Asked], Answer]]:
        return {
            ("POST", "/open-apis/auth/v3/tenant_access_token/internal"): self._app_token,
            ("POST", "/open-apis/authen/v2/oauth/token"): self._token,
            ("GET", "/open-apis/authen/v1/user_info"): self._person,
            ("POST", "/open-apis/im/v1/messages"): self._message,
        }

    def _message(self, asked: Asked) -> Answer:
        self.expect(
            asked,
            query={"receive_id_type": str},
            body={"receive_id": str, "msg_type": str, "content": str, "uuid": str},
        )
        body = asked.body
        if not self.is_valid(asked.headers.get("authorization", "").removeprefix("Bearer ")):
            return 400, {"code": 99991663, "msg": "Invalid access token for authorization."}
        content = json.loads(body["content"])
        right = asked.query["receive_id_type"] == "open_id" and body["msg_type"] == "text" and set(content) == {"text"}
        if not right or not 0 < len(body["uuid"]) <= 50:
            self.problems.append(f"message {body}")
        if not self.has_bot:
            return 400, {"code": 230006, "msg": "Bot ability is not activated."}
        if body["receive_id"] in self.unknown:
            return 400, {"code": 230013, "msg": "Bot has NO availability to this user."}
        self.deliver(body["receive_id"], content["text"], body["uuid"])
        self.before_answer()
        return 200, {"code": 0, "msg": "success", "data": {"message_id": "om_1"}}

    def pages(self) -> Mapping[str, Callable[[dict[str, str]], str]]:
        return {"/open-apis/authen/v1/authorize": self._page}

    def _app_token(self, asked: Asked) -> Answer:
        self.expect(asked, body={"app_id": str, "app_secret": str})
        if asked.body.get("app_id") != self.app_id:
            return 200, {"code": 10003, "msg": "invalid param"}
        if asked.body.get("app_secret") != self.app_secret:
            return 200, {"code": 10014, "msg": "app secret invalid"}
        return 200, {"code": 0, "msg": "ok", "tenant_access_token": self.new_token(), "expire": TOKEN_LIFETIME_S}

    def _token(self, asked: Asked) -> Answer:
        names = ("grant_type", "client_id", "client_secret", "code", "redirect_uri", "code_verifier")
        self.expect(asked, body=dict.fromkeys(names, str))
        body = {name: str(asked.body.get(name)) for name in names}
        if body["client_secret"] != self.app_secret:
            return 400, {"code": 20002, "error": "invalid_client", "error_description": "…"}
        grant = self.taken(body["code"])
        if grant is None:
            return 400, {"code": 20003, "error": "invalid_grant", "error_description": "…"}
        digest = hashlib.sha256(body["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != grant.challenge:
            return 400, {"code": 20049, "error": "invalid_grant", "error_description": "…"}
        if body["redirect_uri"] != grant.redirect_uri:
            return 400, {"code": 20071, "error": "invalid_grant", "error_description": "…"}
        token = self.new_token()
        self.owners[token] = grant.person
        return 200, {"code": 0, "access_token": token, "expires_in": 7200, "token_type": "Bearer", "scope": ""}

    def _person(self, asked: Asked) -> Answer:
        self.expect(asked)
        token = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if not self.is_valid(token) or token not in self.owners:
            return 401, {"code": 99991668, "msg": "Invalid access token for authorization."}
        person = self.owners[token]
        data = {
            "name": person.name, "open_id": person.subject, "union_id": "on_1", "tenant_key": person.tenant,
            "email": "boss@corp.example", "mobile": "+8613800000000",
        }  # fmt: skip
        return 200, {"code": 0, "msg": "success", "data": data}

    def _page(self, query: dict[str, str]) -> str:
        wanted = {"client_id": self.app_id, "response_type": "code", "code_challenge_method": "S256"}
        if {**query, **wanted} != query or set(query) != {*wanted, "redirect_uri", "state", "code_challenge"}:
            self.problems.append(f"authorisation page: {query}")
        code = self.code(redirect_uri=query["redirect_uri"], challenge=query["code_challenge"])
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"


class _Handler(BaseHTTPRequestHandler):
    service: Service

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.headers.get("Content-Type") != "application/json":
            self.service.problems.append(f"content type {self.headers.get('Content-Type')}")
        self._serve(json.loads(content))

    def _serve(self, body: dict[str, Any]) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        page = self.service.pages().get(address.path)
        if page is not None:
            self._send(302, b"", {"Location": page(query)})
            return
        if self.service.manner:
            self._misbehave(self.service.manner)
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, document = self.service.answer(Asked(self.command, address.path, query, body, headers))
        self._send(status, json.dumps(document).encode(), {"Content-Type": "application/json"})

    def _misbehave(self, manner: str) -> None:
        if manner == "silent":
            self.service.released.wait(30)
            return
        if manner == "drip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
            while not self.service.released.wait(0.1):
                try:
                    self.wfile.write(b" ")
                    self.wfile.flush()
                except OSError:
                    return
            return
        answers: dict[str, tuple[int, bytes, dict[str, str]]] = {
            "html": (200, b"<html>Sign in to the network</html>", {"Content-Type": "text/html"}),
            "error_html": (502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"}),
            "redirect": (302, b"{}", {"Location": f"{self.service.base}/elsewhere"}),
            "huge": (200, b'{"errcode":0,"code":0,"x":"' + b"x" * 400_000 + b'"}', {}),
            "list": (200, b"[]", {}),
            "deep": (200, b"[" * 200_000, {}),
            "empty": (200, b"{}", {}),
            "lost": (200, b"", {"Content-Length": "100"}),
        }
        self._send(*answers[manner])

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            return

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Nothing: tests read `asked`."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    """Serve on a free loopback port until the block ends."""
    handler = type("Handler", (_Handler,), {"service": service})
    server = _Server(("127.0.0.1", 0), handler)
    service.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
