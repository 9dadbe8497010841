"""The ASGI application of the web service: Django for requests, Channels for websockets, and the file manager's way to
the proxies in front of Django.
"""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "postern.foundation.django_settings")

import django

django.setup(set_prefix=False)  # loads the apps, so that the imports below work

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.urls import re_path

from postern.apps.sessions.files.forwarder import FileForwarder
from postern.entrypoints.websockets import websocket_urlpatterns
from postern.foundation.checks import refuse_undeclared
from postern.foundation.requests.body_guard import BodyGuard
from postern.foundation.requests.request_threads import RequestThreads
from postern.foundation.sockets.socket_guard import SocketGuard, unknown_path

refuse_undeclared(websocket_urlpatterns)  # also imports the views
django_application = BodyGuard(RequestThreads(trusted_proxies=settings.POSTERN.trusted_proxies))  # type: ignore[arg-type]  # ASGI's own types are wider than Django's
http_application = FileForwarder(django_application)

nothing_else = re_path("", unknown_path)  # type: ignore[arg-type]  # Django types its routes for views
websocket_application = SocketGuard(URLRouter([*websocket_urlpatterns, nothing_else]))

application = ProtocolTypeRouter({"http": http_application, "websocket": websocket_application})
