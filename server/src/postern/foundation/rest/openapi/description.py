"""Settings of the OpenAPI generator, and the introduction of the document. Imports nothing that needs Django to be set
up.
"""

from typing import Any, Final

import postern

API_PREFIX: Final = "/api/v1/"
_PREFACE: Final = """\
All paths follow the same conventions.

* **Organization**: the header `X-JMS-ORG` (or the query parameter `oid`) names it; without it the default organization is used.
* **Lists** answer with `{count, next, previous, results}` when `limit` is sent, and with a bare array otherwise.
  Counting stops at 10,000 rows (1,000 where a row depends on other tables), or at the end of the requested page:
  `count_is_minimum` says that there are more, and `next` leads to them.
  `format=csv` or `format=xlsx` exports what the same query lists.
* **Writes** are atomic. Posting an array to a list creates all of its objects or none.
* **OPTIONS** lists the fields that the caller may write, with labels, limits and choices.
* **Errors**: 400 `{"field": ["what is wrong"]}`, for an array, an array of these; otherwise `{"detail": "...", "code": "..."}`.
  An administrator finds the request in the log by the `X-Request-Id` of the answer.
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
    # Requests and responses differ: write-only secrets, read-only names.
    "COMPONENT_SPLIT_REQUEST": True,
    "APPEND_COMPONENTS": {"securitySchemes": _SECURITY_SCHEMES},
    "PREPROCESSING_HOOKS": ["postern.foundation.rest.openapi.document.public_endpoints"],
    # Keep choices inline: the generated names of shared enums would change with every new set of choices.
    "POSTPROCESSING_HOOKS": [],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "DISABLE_ERRORS_AND_WARNINGS": True,
}
