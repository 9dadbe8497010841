"""What the OpenAPI document says about the API as a whole: the settings of its generator. Imports nothing that Django loads."""

from typing import Any, Final

import postern

API_PREFIX: Final = "/api/v1/"
_PREFACE: Final = """\
Every path keeps to one house style.

* **Organization**: the header `X-JMS-ORG` (or the query parameter `oid`) names it; without it the default one is meant.
* **Lists** answer with `{count, next, previous, results}` when `limit` is sent, and with a bare array otherwise.
  Counting stops at 10,000 rows, or at the end of the page that is asked for: `count_is_minimum` says that there are more, and `next` leads to them.
  `format=csv` or `format=xlsx` exports what the same query lists.
* **Writes** are atomic. An array that is posted to a list is made whole or not at all.
* **OPTIONS** tells the fields that the caller may write, with labels, limits and choices.
* **Errors**: 400 `{"field": ["what is wrong"]}`, an array of such for an array; otherwise `{"detail": "...", "code": "..."}`.
  `X-Request-Id` of the answer is what an administrator looks for in the log.
"""
#: Bearer tokens: RFC 6750. Access keys: draft-cavage-http-signatures-12.
_SECURITY_SCHEMES: Final[dict[str, Any]] = {
    "session": {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "What the console uses."},
    "csrf": {
        "type": "apiKey",
        "in": "header",
        "name": "X-CSRFToken",
        "description": "The value of the cookie `csrftoken`, beside the session; for everything but GET.",
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "The token of POST authentication/auth/."},
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": 'An access key: `Signature keyId="…",algorithm="hmac-sha256",headers="(request-target) date",signature="…"`.',
    },
}

SETTINGS: Final[dict[str, Any]] = {
    "TITLE": "Postern",
    "DESCRIPTION": _PREFACE,
    "VERSION": postern.__version__,
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": API_PREFIX.rstrip("/"),
    # What is read and what is written differ: write-only secrets, read-only names.
    "COMPONENT_SPLIT_REQUEST": True,
    "APPEND_COMPONENTS": {"securitySchemes": _SECURITY_SCHEMES},
    "PREPROCESSING_HOOKS": ["postern.foundation.rest.openapi.document.public_endpoints"],
    # Choices stay where they are used: names made up for sets of choices would change with every new one.
    "POSTPROCESSING_HOOKS": [],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "DISABLE_ERRORS_AND_WARNINGS": True,
}
