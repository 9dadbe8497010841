"""All websockets of the web part: composed from the apps, as `urls` composes the requests."""

from postern.apps.notifications.consumers import websocket_urlpatterns as notifications
from postern.apps.sessions.sessions.consumers import websocket_urlpatterns as sessions

websocket_urlpatterns = [*sessions, *notifications]
