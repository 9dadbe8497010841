"""Load the application once, so that forked processes share its memory.

Before forking, nothing may be open that two processes cannot share: a thread (only one process would have it), a
database connection (both would use it), a channel layer (both would have the same name and take each other's messages).
"""

import gc
import threading
from typing import Any


def load_application() -> Any:
    """The ASGI application, with everything loaded that its first request would load.

    Automatic garbage collection must be off: collections during loading would free memory in small gaps, which each
    process would then fill with its own objects.
    """
    from postern.entrypoints.asgi import application

    _load_what_requests_load()
    refuse_unshareable()
    # The collector stores its marks in the objects, so the first collection would copy all shared pages.
    gc.freeze()
    return application


def tune_collector() -> None:
    """In a web process: collect rarely. Objects loaded before the fork are frozen and not examined."""
    gc.enable()
    gc.set_threshold(20_000, 20, 50)


def refuse_unshareable() -> None:
    """Raise RuntimeError when something is open that must not be forked."""
    from channels.layers import channel_layers
    from django.db import connections

    others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    if others:
        raise RuntimeError(f"threads must not be started while the web part loads: {', '.join(others)}")
    open_aliases = [
        connection.alias for connection in connections.all(initialized_only=True) if connection.connection is not None
    ]
    if open_aliases:
        raise RuntimeError(f"database connections must not be opened while the web part loads: {open_aliases}")
    if channel_layers.backends:
        raise RuntimeError("channel layers must not be made while the web part loads")


def _load_what_requests_load() -> None:
    """Load routes and translations, which Django would load with the first request."""
    from django.conf import settings
    from django.urls import get_resolver
    from django.utils import translation

    resolver = get_resolver()
    _ = resolver.reverse_dict, resolver.app_dict
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            translation.gettext("")
