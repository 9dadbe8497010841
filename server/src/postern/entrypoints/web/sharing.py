"""Load the application once; forked processes share its memory.

What is forked must hold nothing that two processes cannot use together: a thread (it exists in one of them only), an open
database connection (both would speak on it), a channel layer (its name would be the same, so that one process reads the
messages of the other).
"""

import gc
import threading
from typing import Any


def load_application() -> Any:
    """The ASGI application with everything that its first request would load.

    Expects that automatic garbage collection is off: a collection while loading would free memory in small holes, which
    every process would fill with its own objects.
    """
    from postern.entrypoints.asgi import application

    _load_what_requests_load()
    refuse_unshareable()
    # Collector marks are kept in the objects themselves: without this the first collection would copy all pages.
    gc.freeze()
    return application


def tune_collector() -> None:
    """In a web process: what was loaded stays, so the collector looks at what requests leave behind, and seldom."""
    gc.enable()
    gc.set_threshold(20_000, 20, 50)


def refuse_unshareable() -> None:
    """Raises RuntimeError when something was opened that must not be forked."""
    from channels.layers import channel_layers
    from django.db import connections

    others = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    if others:
        raise RuntimeError(f"threads must not be started while the web part loads: {', '.join(others)}")
    open_aliases = [one.alias for one in connections.all(initialized_only=True) if one.connection is not None]
    if open_aliases:
        raise RuntimeError(f"database connections must not be opened while the web part loads: {open_aliases}")
    if channel_layers.backends:
        raise RuntimeError("channel layers must not be made while the web part loads")


def _load_what_requests_load() -> None:
    """Routes and translations: Django loads them with the first request."""
    from django.conf import settings
    from django.urls import get_resolver
    from django.utils import translation

    resolver = get_resolver()
    _ = resolver.reverse_dict, resolver.app_dict
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            translation.gettext("")
