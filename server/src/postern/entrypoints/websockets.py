"""All websocket routes, composed from the apps like the HTTP routes in `urls`."""

from postern.apps.jobs.log_reading.consumers import websocket_urlpatterns as jobs
from postern.apps.notifications.consumers import websocket_urlpatterns as notifications
from postern.apps.sessions.sessions.consumers import websocket_urlpatterns as sessions

websocket_urlpatterns = [*sessions, *jobs, *notifications]
