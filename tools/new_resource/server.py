"""The server's part of a resource: its folder, and its lines at the top of the app and in the audit catalogue."""

from collections.abc import Sequence

from new_resource.changes import Changes
from new_resource.request import BadRequest, Field, Request, sentence
from new_resource.targets import Target
from new_resource.templates import filled

APPS = "server/src/postern/apps"
CATALOGUE = f"{APPS}/audits/catalogue.py"
USUAL_KINDS = f"{APPS}/audits/usual_kinds.py"
#: Category of the events of an app's objects.
_CATEGORIES = {
    "assets": "INVENTORY",
    "users": "PEOPLE",
    "perms": "PERMISSIONS",
    "vault": "CREDENTIALS",
}
#: A registration, on one line or on several.
_REGISTRATION = r"^router\.register\((?:[^\n]+\)\n|\n(?:    [^\n]*\n)+\)\n)"
_COLUMNS = {
    "text": 'models.CharField(_("{words}"), max_length=128{blank})',
    "number": 'models.PositiveIntegerField(_("{words}"), null=True, blank=True)',
    "flag": 'models.BooleanField(_("{words}"), default=False)',
}


def write(changes: Changes, request: Request, targets: Sequence[Target]) -> None:
    app, module = f"{APPS}/{request.app}", f"postern.apps.{request.app}.{request.plural}"
    values = _values(request, targets)
    for name in ("__init__.py", "models.py", "api.py"):
        changes.create(f"{app}/{request.plural}/{name}", filled(f"server/{name}", values))
    changes.import_python(f"{app}/models.py", f"from {module}.models import {request.model}")
    changes.insert(f"{app}/models.py", f'    "{request.model}",\n', after=r"__all__ = \[\n")
    if "router.register(" not in changes.text(f"{app}/urls.py"):
        raise BadRequest(f"{app}/urls.py has no router of resources: add the resource by hand")
    changes.import_python(f"{app}/urls.py", f"from {module}.api import {request.model}ViewSet")
    route = f'router.register("{request.path}", {request.model}ViewSet, "{request.name.replace("_", "-")}")\n'
    changes.insert(f"{app}/urls.py", route, after=_REGISTRATION)
    category, code = _CATEGORIES.get(request.app, "SETTINGS"), request.model.lower()
    for file, words in ((USUAL_KINDS, request.chinese), (CATALOGUE, f"创建{request.chinese}")):
        if f'"{words}"' in changes.text(file):
            raise BadRequest(
                f"{file} has the Chinese word {request.chinese}: no two audit kinds may have the same words"
            )
    words = f'"{values["Title"]}", "{values["Words"]}", "{request.chinese}"'
    line = f'    Kinds("{code}", _C.{category}, {words}),\n'
    changes.insert(USUAL_KINDS, line, after=r"^RESOURCES: Final = \(\n(?:    Kinds\([^\n]*\n)+")


def _values(request: Request, targets: Sequence[Target]) -> dict[str, str]:
    columns = [field.name for field in request.columns]
    lists = [target.field.name for target in targets]
    searched = [field.name for field in request.columns if field.kind == "text"]
    models = [f"    {field.name} = {_column(field, request)}\n" for field in request.columns] + [
        f"    {target.field.name} = models.ManyToManyField(\n"
        f'        {target.model}, related_name="{request.plural}", blank=True, verbose_name=_("{target.field.words}")\n    )\n'
        for target in targets
    ]
    gone = ", ".join(f'"{name}"' for name in columns)
    named = ", ".join(f'"{target.field.name}": "{target.named_by}"' for target in targets)
    labelled = "".join(
        f'    {target.field.name} = OrgOwnedList({target.model}, required=False, label=gettext_lazy("{target.field.words}"))\n'
        for target in targets
    )
    return {
        "app": request.app,
        "plural": request.plural,
        "Words": sentence(request.plural),
        "Title": sentence(request.name),
        "Model": request.model,
        "path": request.path,
        "title": request.title.name,
        "what": request.what,
        "model_imports": "".join(f"from {target.module} import {target.model}\n" for target in targets),
        "model_fields": "".join(models),
        "writes": f"gone=({gone},)" + (f", lists={{{named}}}" if lists else ""),
        "list_fields": f"{labelled}\n" if labelled else "",
        "lazy_import": "from django.utils.translation import gettext_lazy\n\n" if labelled else "",
        "relations_import": "from postern.foundation.rest.relations import OrgOwnedList\n" if labelled else "",
        "small": ", ".join(f'"{name}"' for name in (*columns[1:], "date_created", "comment")),
        "full": "".join(f'"{name}", ' for name in lists),
        "searched": ", ".join(f'"{name}"' for name in searched),
        "ordered": ", ".join(f'"{name}"' for name in (*columns, "date_created")),
        "filtered": ", ".join(f'"{name}"' for name in columns),
    }


def _column(field: Field, request: Request) -> str:
    blank = "" if field is request.title else ', blank=True, default=""'
    return _COLUMNS[field.kind].format(words=field.words, blank=blank)
