"""`GET /api/health/`: whether all services are up. Shows service names and times only (K25: health reveals nothing of
the inside).
"""

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from postern.foundation.pages.pages import open_page
from postern.foundation.parts import health
from postern.foundation.parts.health import PartHealth
from postern.kernel import clock
from postern.kernel.ids import same


@open_page
@require_safe
def show_health(request: HttpRequest) -> JsonResponse:
    """200 when all needed services are up, otherwise 503; 403 for a wrong or missing token if a token is configured."""
    token = settings.POSTERN.health_token
    if token is not None and not same(request.GET.get("token", ""), token.reveal()):
        return JsonResponse({"detail": "Wrong or missing token.", "code": "permission_denied"}, status=403)
    parts = health.examine()
    nothing = PartHealth(ok=False, ms=0)
    database, redis = parts.get("database", nothing), parts.get("redis", nothing)
    healthy = health.is_healthy(parts)
    body = {
        "status": healthy,
        "parts": {name: _shown(part) for name, part in parts.items()},
        "db_status": database.ok,
        "db_time": database.ms / 1_000,
        "redis_status": redis.ok,
        "redis_time": redis.ms / 1_000,
        "time": int(clock.now().timestamp()),
    }
    return JsonResponse(body, status=200 if healthy else 503)


def _shown(part: PartHealth) -> dict[str, object]:
    counts = {"running": part.running, "wanted": part.wanted} if part.wanted is not None else {}
    return {"ok": part.ok, "ms": part.ms, **counts}
