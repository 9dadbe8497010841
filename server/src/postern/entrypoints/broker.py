"""The address of Redis in the notation of Celery."""

from postern.foundation.settings import Settings


def broker_url(settings: Settings) -> str:
    """The Redis address as Celery writes it: a Unix socket is `redis+socket`."""
    url = settings.redis_url
    if not url.startswith("unix:"):
        return url
    return f"redis+socket{url.removeprefix('unix')}".replace("?db=", "?virtual_host=")
