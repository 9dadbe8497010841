"""Django's settings, derived from the one `Settings` value. Nothing else reads the environment."""

import os
import secrets
from pathlib import Path
from typing import Any, Final

from postern.foundation.database.connections import POOL_WAIT_S, pool_size
from postern.foundation.machine import secret_files
from postern.foundation.rest.formats import DISPLAY_FORMAT, INPUT_FORMATS
from postern.foundation.rest.openapi import description
from postern.foundation.settings import Database, Settings

POSTERN: Final = Settings.load(os.environ)

SECRET_KEY = secret_files.read_or_create(POSTERN.secrets_dir / "django.key", lambda: secrets.token_urlsafe(48))
DEBUG = False
# Postern's own processes on this machine and local health checks connect by address.
ALLOWED_HOSTS = [*POSTERN.allowed_hosts, "127.0.0.1", "localhost", "[::1]"] if POSTERN.allowed_hosts else ["*"]
USE_X_FORWARDED_HOST = False
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")  # set by our own ClientAddress, never by clients

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "postern.foundation.database.web_sessions.WebSessionsConfig",
    "channels",
    "rest_framework",
    "postern.foundation",
    "postern.apps.audits",
    "postern.apps.licence",
    "postern.apps.orgs",
    "postern.apps.preferences",
    "postern.apps.users",
    "postern.apps.rbac",
    "postern.apps.directory",
    "postern.apps.authn",
    "postern.apps.assets",
    "postern.apps.vault",
    "postern.apps.applications",
    "postern.apps.acls",
    "postern.apps.perms",
    "postern.apps.plans",
    "postern.apps.sessions",
    "postern.apps.jobs",
    "postern.apps.notifications",
    "postern.apps.forwarding",
    "postern.apps.reports",
    "postern.entrypoints",
]

MIDDLEWARE = [
    "postern.foundation.requests.middleware.SecurityHeaders",
    "postern.foundation.requests.middleware.ClientAddress",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "postern.foundation.requests.middleware.ClientLanguage",
    "postern.foundation.requests.middleware.ClientTimeZone",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]

ROOT_URLCONF = "postern.entrypoints.urls"
ASGI_APPLICATION = "postern.entrypoints.asgi.application"
APPEND_SLASH = False
TEMPLATES: list[dict[str, Any]] = []
STATIC_URL = "/static/"


def _database(database: Database) -> dict[str, Any]:
    if database.path is not None:
        database.path.parent.mkdir(parents=True, exist_ok=True)
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(database.path),
            # Each thread keeps its connection, because a new connection would have to read the whole schema first.
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                # otherwise a transaction that reads and then writes fails immediately when another transaction writes
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                # Reading through a memory map: see decision 0091.
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
                "PRAGMA mmap_size=268435456;",
            },
            "TEST": {"NAME": str(database.path.with_name("test.sqlite3"))},
        }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": database.host,
        "PORT": database.port,
        "NAME": database.name,
        "USER": database.user,
        "PASSWORD": database.password.reveal(),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            **dict(database.options),
            "pool": {"min_size": 1, "max_size": pool_size(), "timeout": POOL_WAIT_S},
        },
    }


DATABASES = {"default": _database(POSTERN.database)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": POSTERN.redis_url,
        # Requests must not hang longer than a person waits when Redis does not answer.
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 5},
    }
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # The layer blocks in Redis until a message arrives; the default timeout of 5 s would turn that into an error.
        "CONFIG": {"hosts": [{"address": POSTERN.redis_url, "socket_timeout": None}]},
    }
}

AUTH_USER_MODEL = "users.User"
PASSWORD_HASHERS = ["postern.apps.users.credentials.hashing.BoundedArgon2Hasher"]
SESSION_ENGINE = "postern.foundation.database.session_store"
SESSION_COOKIE_NAME = "__Host-sessionid" if POSTERN.https else "sessionid"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = POSTERN.https
SESSION_COOKIE_AGE = 7 * 24 * 3600  # lifetime of the row; authn ends a sign-in earlier, after a day without use
CSRF_COOKIE_NAME = "csrftoken"
CSRF_HEADER_NAME = "HTTP_X_CSRFTOKEN"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = POSTERN.https
CSRF_FAILURE_VIEW = "postern.foundation.rest.errors.csrf_failure"

LANGUAGE_CODE = POSTERN.language
LANGUAGES = [("zh-hans", "中文(简体)"), ("en", "English")]
LANGUAGE_COOKIE_NAME = "django_language"
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_I18N = True
LOCALE_PATHS = [Path(__file__).resolve().parents[1] / "locale"]
USE_TZ = True
TIME_ZONE = POSTERN.time_zone

#: Maximum size of request bodies where no route allows more. `BodyLimits` raises it for uploads, by path (K54: bodies
#: are limited before they are read).
BODY_MAX_BYTES = 2 * 1024 * 1024
#: Django's own limit knows no paths: it refused the larger bodies that a route allows. `BodyGuard` has counted before.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],  # provided by the composition root: see foundation.caller.identity
    "DEFAULT_PERMISSION_CLASSES": ["postern.foundation.rest.rights.RightsPermission"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "postern.foundation.rest.parsers.BoundedJsonParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_METADATA_CLASS": "postern.foundation.rest.metadata.ContractMetadata",
    "DEFAULT_PAGINATION_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "postern.foundation.rest.openapi.operations.OperationDescription",
    "EXCEPTION_HANDLER": "postern.foundation.rest.errors.handle",
    "DATETIME_FORMAT": DISPLAY_FORMAT,
    "DATETIME_INPUT_FORMATS": INPUT_FORMATS,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "URL_FORMAT_OVERRIDE": None,
    "SEARCH_PARAM": "search",
    "ORDERING_PARAM": "order",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "STRICT_JSON": True,
}

SPECTACULAR_SETTINGS: dict[str, Any] = description.SETTINGS

LOGGING_CONFIG = None  # the entry points configure logging with `kernel.log`
SILENCED_SYSTEM_CHECKS: list[str] = []
