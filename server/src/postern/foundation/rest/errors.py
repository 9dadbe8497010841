"""The exception handler of the API. It produces only the error bodies of contract/00-conventions section 8.

Field errors are `{"field": ["…"]}`; everything else is `{"detail": "…", "code": "slug"}`. Unexpected exceptions are
logged with their stack trace. `handler500` answers them without any internal detail (K23: errors reveal nothing of the
inside).
"""

import errno
import logging
import re
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.core.exceptions import ValidationError as ModelValidationError
from django.db import DataError, IntegrityError, InterfaceError, OperationalError
from django.db.models import ProtectedError, RestrictedError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from redis.exceptions import RedisError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from postern.foundation.requests.middleware import REQUEST_ID
from postern.foundation.rest.labels import kind_of
from postern.kernel.errors import PosternError

logger = logging.getLogger(__name__)

_RETRY_AFTER_S = 5

#: SQLSTATE of PostgreSQL for a deadlock and for a serialization failure: the transaction was rolled back and may be
#: repeated.
_TRY_AGAIN = frozenset({"40P01", "40001"})

#: Beginning of SQLite's names for a database that another writer has held for too long.
_BUSY = "SQLITE_BUSY"
#: SQLSTATE when PostgreSQL is a standby or recovering: it accepts writes again in a moment.
_READ_ONLY = "25006"
#: `errno` values when a file cannot be written because the disk or the quota is full.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})

_UNIQUE_VIOLATION = "23505"
#: Matches `Key (org_id, name)=(…) already exists.` in any language of the server's messages.
_POSTGRESQL_KEY = re.compile(r"\(([^()]+)\)=\(")
#: Columns that appear in no form.
_UNSHOWN = frozenset({"org_id"})
#: Normalized columns, with the form field that each of them belongs to.
_SHOWN_AS = {"username_key": "username", "username_skeleton": "username"}
#: Refusals of a single object: the caller may not do this to it, it is gone, or it conflicts with another object.
_ABOUT_AN_ITEM = frozenset({403, 404, 409})
#: How many of the objects that refer to a protected object are named in the error.
_NAMED = 3


def handle(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER. None passes the exception on to Django's error page."""
    del context
    response = _respond(error)
    if response is not None:
        set_rollback()
    return response


def fields_of(error: Exception) -> dict[str, Any] | None:
    """The error as field errors of one bulk item; None when the error is not about an item but about the whole call."""
    response = _respond(error)
    if response is None or response.status_code != 400:
        return None
    detail: Any = response.data
    if isinstance(detail, dict) and set(detail) == {"detail", "code"}:
        return {"non_field_errors": [detail["detail"]]}
    return detail if isinstance(detail, dict) else {"non_field_errors": detail}


def of_item(error: Exception) -> dict[str, Any] | None:
    """The error as field errors of one item that was tried alone; None when every further item would fail as well."""
    field_errors = fields_of(error)
    if field_errors is not None:
        return field_errors
    response = _respond(error)
    if response is None or response.status_code not in _ABOUT_AN_ITEM:
        return None
    detail = response.data.get("detail") if isinstance(response.data, dict) else None
    return {"non_field_errors": [detail]} if detail is not None else None


def shown_name(column: str) -> str:
    """The form field of a column."""
    return _SHOWN_AS.get(column, column)


def _respond(error: Exception) -> Response | None:
    if isinstance(error, exceptions.ValidationError):
        return Response(error.detail, status=error.status_code)
    if isinstance(error, exceptions.APIException):
        return _api_error(error)
    if isinstance(error, PosternError):
        wait_s = getattr(error, "retry_after_s", _RETRY_AFTER_S if error.status == 503 else None)
        headers = {"Retry-After": str(wait_s)} if wait_s else None
        fields = getattr(error, "fields", None)
        return Response(fields or body(error.message, error.code), status=error.status, headers=headers)
    if isinstance(error, ModelValidationError):
        detail = error.message_dict if hasattr(error, "error_dict") else {"non_field_errors": error.messages}
        return Response(detail, status=400)
    if isinstance(error, ObjectDoesNotExist):  # read a moment ago, then deleted by another request
        logger.info("an object was deleted during the call: %s", error)
        return Response(body(_("Not found."), "object_does_not_exist"), status=404)
    if isinstance(error, Http404):
        return Response(body(_("Not found."), "object_does_not_exist"), status=404)
    if isinstance(error, PermissionDenied):
        return Response(body(_("You do not have permission to perform this action."), "permission_denied"), status=403)
    return _database_error(error)


def _database_error(error: Exception) -> Response | None:
    if isinstance(error, ProtectedError | RestrictedError):
        return Response(body(_still_used(error), "referenced_by_others"), status=400)
    if isinstance(error, IntegrityError):  # two concurrent requests, or the same value twice in one array
        logger.info("refused by the database: %s", error)
        taken = _columns_taken(error)
        if taken:
            return Response({name: [_("This field must be unique.")] for name in taken}, status=400)
        return Response(
            body(_("The object conflicts with another object. Reload the page and try again."), "conflict"), status=409
        )
    if isinstance(error, DataError):  # a value that the database cannot store: NUL in a text, a number out of range
        logger.info("refused by the database: %s", error)
        return Response(body(_("Enter a valid value."), "invalid"), status=400)
    if isinstance(error, OperationalError) and getattr(error.__cause__, "sqlstate", None) in _TRY_AGAIN:
        logger.warning("deadlock or serialization failure: %s", error)
        return Response(
            body(_("Somebody else is changing this object at the moment. Try again."), "conflict"), status=409
        )
    if isinstance(error, OperationalError) and getattr(error.__cause__, "sqlite_errorname", "").startswith(_BUSY):
        logger.warning("another write takes long: %s", error)
        return _unavailable(_("Other changes take long at the moment, and nothing was changed. Try again in a minute."))
    if isinstance(error, OperationalError):
        logger.error("database unavailable: %s", error)
        return _unavailable(_("The database cannot be reached. Try again in a minute, or tell an administrator."))
    if isinstance(error, InterfaceError) or getattr(error.__cause__, "sqlstate", None) == _READ_ONLY:
        logger.error("database unavailable: %s", error)
        return _unavailable(_("The database cannot be reached. Try again in a minute, or tell an administrator."))
    if isinstance(error, RedisError) or (isinstance(error, OSError) and error.errno in _NO_ROOM):
        logger.error("Redis unavailable or disk full: %s", error)
        return _unavailable(_("A service that Postern needs is not available at the moment. Try again in a minute."))
    return None


def _still_used(error: ProtectedError | RestrictedError) -> str:
    """Kinds and names of the first few objects that refer to the protected object."""
    protected_rows = error.protected_objects if isinstance(error, ProtectedError) else error.restricted_objects
    rows = sorted(protected_rows, key=str)
    named = [f"{kind_of(type(row))} {row}" for row in rows[:_NAMED]]
    more = len(rows) - len(named)
    names = ", ".join(named) + (_(" and %(count)d more") % {"count": more} if more > 0 else "")
    return _("It cannot be deleted, because other objects still use it: %(names)s.") % {"names": names}


def _columns_taken(error: IntegrityError) -> list[str]:
    """The form fields of the unique constraint that was violated; empty for other errors and when the columns are
    unknown.
    """
    cause = error.__cause__
    diagnosis = getattr(cause, "diag", None)
    if getattr(cause, "sqlstate", None) == _UNIQUE_VIOLATION and diagnosis is not None:
        match = _POSTGRESQL_KEY.search(diagnosis.message_detail or "")
        columns = [part.strip().strip('"') for part in match[1].split(",")] if match else []
    else:
        text = str(error)
        start = "UNIQUE constraint failed: "
        columns = [part.rpartition(".")[2] for part in text[len(start) :].split(", ")] if text.startswith(start) else []
    field_names = [shown_name(column) for column in columns if column.isidentifier() and column not in _UNSHOWN]
    return field_names if len(field_names) == len([column for column in columns if column not in _UNSHOWN]) else []


def _unavailable(message: str) -> Response:
    return Response(body(message, "unavailable"), status=503, headers={"Retry-After": str(_RETRY_AFTER_S)})


def _api_error(error: exceptions.APIException) -> Response:
    headers: dict[str, str] = {}
    challenge = getattr(error, "auth_header", None)
    if challenge:
        headers["WWW-Authenticate"] = challenge
    wait = getattr(error, "wait", None)
    if wait:
        headers["Retry-After"] = str(int(wait))
    detail = error.detail
    if isinstance(detail, dict | list):
        return Response(detail, status=error.status_code, headers=headers)
    code = "object_does_not_exist" if isinstance(error, exceptions.NotFound) else detail.code or error.default_code
    return Response(body(str(detail), code), status=error.status_code, headers=headers)


def body(message: str, code: str) -> dict[str, str]:
    """The body of an error that belongs to no field."""
    return {"detail": message, "code": code}


def handler400(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to a malformed request."""
    del request, exception
    return JsonResponse({"error": "Bad request"}, status=400)


def handler403(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to a refused request outside the API."""
    del request, exception
    return JsonResponse(body("Permission denied", "permission_denied"), status=403)


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's answer to an unknown URL."""
    del request, exception
    return JsonResponse({"error": "Not found"}, status=404)


def handler500(request: HttpRequest) -> HttpResponse:
    """Django's answer to an unexpected exception, without stack trace, path or query. The log has them, with the
    request's number.

    Outside the API (session middleware, pages) an unavailable database is answered with 503.
    """
    fault = sys.exc_info()[1]
    away = _database_error(fault) if isinstance(fault, Exception) else None
    if away is not None and away.status_code == HTTPStatus.SERVICE_UNAVAILABLE:
        return JsonResponse(away.data, status=away.status_code, headers={"Retry-After": str(_RETRY_AFTER_S)})
    logger.error("request %s failed: %s %s", request.META.get(REQUEST_ID, "-"), request.method, request.path)
    return JsonResponse({"error": "Server internal error"}, status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's answer to a missing or wrong CSRF token, in the shape of the API."""
    del request
    return JsonResponse(body(f"CSRF Failed: {reason}", "permission_denied"), status=403)
