"""Every exception has its status and body (contract: conventions section 8), and reveals nothing internal.

K23: errors reveal nothing internal.
"""

import errno
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as ModelValidationError
from django.db import DataError, IntegrityError, InterfaceError, InternalError, OperationalError
from django.db.models import ProtectedError
from django.http import Http404
from django.utils import translation
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework import exceptions

from postern.foundation.rest.errors import handle
from postern.kernel.errors import Conflict, NotAllowed, NotFound, PosternError, Unavailable

INSIDE = 'relation "users_user" /srv/postern/x.py SELECT canary'


class _Busy(Exception):
    sqlite_errorname = "SQLITE_BUSY_SNAPSHOT"


class _Deadlock(Exception):
    sqlstate = "40P01"


class _StandBy(Exception):
    sqlstate = "25006"


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (PosternError("said"), 400, "error"),
        (NotAllowed("said"), 403, "permission_denied"),
        (NotFound("said"), 404, "object_does_not_exist"),
        (Conflict("said"), 409, "conflict"),
        (Unavailable("said"), 503, "unavailable"),
        (Http404(INSIDE), 404, "object_does_not_exist"),
        (PermissionDenied(INSIDE), 403, "permission_denied"),
        (exceptions.NotFound(), 404, "object_does_not_exist"),
        (exceptions.NotAuthenticated(), 401, "not_authenticated"),
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.UnsupportedMediaType("a/b"), 415, "unsupported_media_type"),
        (exceptions.Throttled(wait=3), 429, "throttled"),
        (ProtectedError(INSIDE, set()), 400, "referenced_by_others"),
        (IntegrityError(INSIDE), 409, "conflict"),
        (DataError(INSIDE), 400, "invalid"),
        (OperationalError(INSIDE), 503, "unavailable"),
        (RedisConnectionError(INSIDE), 503, "unavailable"),
        (InterfaceError(INSIDE), 503, "unavailable"),
        (_caused(InternalError(INSIDE), _StandBy()), 503, "unavailable"),
        (OSError(errno.ENOSPC, INSIDE), 503, "unavailable"),
        (OSError(errno.EDQUOT, INSIDE), 503, "unavailable"),
        (_caused(OperationalError(INSIDE), _Deadlock()), 409, "conflict"),
        (_caused(OperationalError(INSIDE), _Busy()), 503, "unavailable"),
    ],
)
def test_k23_error_has_its_status_and_code_and_reveals_nothing_internal(
    error: Exception, status: int, code: str
) -> None:
    with translation.override("en"):
        response = handle(error, {})
    assert response is not None
    assert (response.status_code, response.data["code"]) == (status, code)
    assert set(response.data) == {"detail", "code"}
    assert "canary" not in str(response.data)
    if status == 503:
        assert response.headers["Retry-After"] == "5"


@pytest.mark.parametrize(
    ("error", "body"),
    [
        (exceptions.ValidationError({"name": ["wrong"]}), {"name": ["wrong"]}),
        (exceptions.ValidationError([{}, {"name": ["wrong"]}]), [{}, {"name": ["wrong"]}]),
        (ModelValidationError({"name": "wrong"}), {"name": ["wrong"]}),
        (ModelValidationError("wrong"), {"non_field_errors": ["wrong"]}),
    ],
)
def test_field_errors_are_a_map_of_fields(error: Exception, body: Any) -> None:
    response = handle(error, {})
    assert response is not None
    assert (response.status_code, response.data) == (400, body)


def test_error_with_additional_fields_includes_them() -> None:
    class Refused(PosternError):
        fields = {"ip": ["taken"]}

    response = handle(Refused("said"), {})
    assert response is not None
    assert response.data == {"ip": ["taken"]}


def test_unexpected_error_is_left_to_the_last_error_page() -> None:
    assert handle(RuntimeError(INSIDE), {}) is None
    assert handle(FileNotFoundError(INSIDE), {}) is None


def test_a_database_that_others_write_to_is_not_called_unreachable() -> None:
    with translation.override("en"):
        busy = handle(_caused(OperationalError(INSIDE), _Busy()), {})
    assert busy is not None
    assert busy.data["detail"].startswith("Other changes take long")
