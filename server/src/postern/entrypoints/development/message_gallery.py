"""`GET /api/v1/development/messages/`: every declared message with its example facts, in all forms and languages."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from django.utils import translation
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.notifications.declarations.catalogue import TEXTS
from postern.apps.notifications.declarations.declaration import MessageType
from postern.entrypoints.development.message_forms import LANGUAGES, forms_of
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class MessageGalleryView(PosternView):
    """The messages of the gallery, in the order of their declarations. `number` counts the examples of a type."""

    rights = Right.SUPER_USER
    always_root = True

    def get(self, request: Request) -> Response:
        del request
        numbers: Counter[str] = Counter()
        rows = []
        for text in TEXTS:
            kind = text.message_type
            for notice in text.example_notices():
                numbers[kind.name] += 1
                languages = {language: asdict(forms_of(notice, language)) for language in LANGUAGES}
                rows.append({**_type(kind), "number": numbers[kind.name], "languages": languages})
        return Response(rows)


def _type(kind: MessageType) -> dict[str, Any]:
    labels = {}
    for language in LANGUAGES:
        with translation.override(language):
            labels[language] = str(kind.label)
    return {"message_type": kind.name, "labels": labels, "audience": kind.audience.name.lower()}
