"""Websockets of sessions: the control channel of proxies, and the bridge from browsers to proxies."""

from django.urls import path

from postern.apps.sessions.sessions.consumers.bridge import ProxyBridge
from postern.apps.sessions.sessions.consumers.control import ControlChannel
from postern.contracts.browser import PROXY_STREAM
from postern.contracts.terminals import CONTROL_CHANNEL

websocket_urlpatterns = [
    path(CONTROL_CHANNEL.lstrip("/"), ControlChannel.as_asgi()),
    path(PROXY_STREAM.lstrip("/").replace("{terminal_id}", "<uuid:terminal_id>"), ProxyBridge.as_asgi()),
]
