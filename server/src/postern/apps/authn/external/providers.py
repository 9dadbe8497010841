"""The interface of a provider, and the providers of the settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from postern.apps.authn.external.models import Provider, Purpose
from postern.apps.authn.sign_in import ways
from postern.apps.preferences import facade as preferences
from postern.foundation.network import outbound
from postern.integrations.dingtalk import client as dingtalk
from postern.integrations.dingtalk.client import DingtalkApp
from postern.integrations.feishu import client as feishu
from postern.integrations.feishu.client import FeishuApp
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.person import Person
from postern.integrations.wecom import client as wecom
from postern.integrations.wecom.client import WecomApp

#: The user waits for the provider.
LIMIT_S: Final = 8.0
#: The query parameter of the code in the redirect from the provider.
CODE_PARAMETERS: Final[Mapping[Provider, str]] = {
    Provider.WECOM: "code",
    Provider.DINGTALK: "authCode",
    Provider.FEISHU: "code",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """Parameters of a visit to a provider. `state` returns with the browser, `verifier` stays on this server."""

    redirect_uri: str
    state: str
    verifier: str
    #: The sender in the redirect from the provider; empty when missing.
    came_from: str = ""
    #: The provider must authenticate the person again, at this instant or later. None: an existing session suffices.
    asked_since: datetime | None = None


class Way(Protocol):
    """A configured way of signing in, as visits use it."""

    @property
    def kind(self) -> str:
        """The kind of the provider, stored with the visit."""

    @property
    def id(self) -> UUID | None:
        """Distinguishes several providers of a kind."""

    @property
    def label(self) -> str:
        """The name of the provider in messages."""

    @property
    def is_on(self) -> bool:
        """Whether an administrator has switched it on."""

    def callback(self, purpose: Purpose) -> str:
        """The path to which the provider redirects the browser."""

    def provider(self) -> "ExternalProvider | None":
        """The provider with its current settings; None until they are complete."""


class ExternalProvider(Protocol):
    """A provider with its current settings."""

    def page(self, visit: Visit, user_agent: str) -> str:
        """The address of the page to which the browser is redirected. May block for `LIMIT_S`. Raises WebApiFailed."""

    def person(self, visit: Visit, code: str) -> Person:
        """The person of this code. Blocks for `LIMIT_S` at most. Raises WebApiFailed."""


@dataclass(frozen=True, slots=True)
class CompanyWay:
    """WeCom, DingTalk or FeiShu. The settings have one application of each."""

    provider_name: Provider

    @property
    def kind(self) -> str:
        return self.provider_name.value

    @property
    def id(self) -> None:
        return None

    @property
    def label(self) -> str:
        return str(self.provider_name.label)

    @property
    def is_on(self) -> bool:
        return is_on(self.provider_name)

    def callback(self, purpose: Purpose) -> str:
        step = "login" if purpose == Purpose.SIGN_IN else "bind"
        return f"/core/auth/{self.kind}/qr/{step}/callback/"

    def provider(self) -> "ExternalProvider | None":
        return configured(self.provider_name)


def is_on(provider: Provider) -> bool:
    """Whether an administrator has switched the provider on."""
    return preferences.get_bool(f"AUTH_{provider.upper()}") and ways.is_open(provider.value)


def configured(provider: Provider) -> ExternalProvider | None:
    """The provider; None until its settings are complete."""
    app = preferences.provider_app(preferences.Category(provider.value))
    if isinstance(app, WecomApp):
        return _Wecom(app)
    if isinstance(app, DingtalkApp):
        return _Dingtalk(app)
    return _Feishu(app) if isinstance(app, FeishuApp) else None


def _calls() -> WebCalls:
    return WebCalls(check=outbound.check_dial, limit_s=LIMIT_S)


@dataclass(frozen=True, slots=True)
class _Wecom:
    app: WecomApp

    def page(self, visit: Visit, user_agent: str) -> str:
        return wecom.authorize_url(self.app, redirect_uri=visit.redirect_uri, state=visit.state, user_agent=user_agent)

    def person(self, visit: Visit, code: str) -> Person:
        del visit  # these services have no verifier; only the state protects
        return wecom.person_of(self.app, _calls(), code)


@dataclass(frozen=True, slots=True)
class _Dingtalk:
    app: DingtalkApp

    def page(self, visit: Visit, user_agent: str) -> str:
        del user_agent  # the page asks for consent at once inside DingTalk
        return dingtalk.authorize_url(self.app, redirect_uri=visit.redirect_uri, state=visit.state)

    def person(self, visit: Visit, code: str) -> Person:
        del visit
        return dingtalk.person_of(self.app, _calls(), code)


@dataclass(frozen=True, slots=True)
class _Feishu:
    app: FeishuApp

    def page(self, visit: Visit, user_agent: str) -> str:
        del user_agent
        return feishu.authorize_url(
            self.app, redirect_uri=visit.redirect_uri, state=visit.state, verifier=visit.verifier
        )

    def person(self, visit: Visit, code: str) -> Person:
        return feishu.person_of(self.app, _calls(), code, redirect_uri=visit.redirect_uri, verifier=visit.verifier)
