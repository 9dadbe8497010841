"""The console's part of a resource: definition, route records, noun."""

from collections.abc import Sequence

from new_resource.changes import Changes
from new_resource.request import Request
from new_resource.targets import Target
from new_resource.templates import filled

#: Feature folder of an app, where it has another name.
_FEATURES = {"vault": "assets"}
#: The end of the routes of a section.
_ROUTES_END = r"^  \],\n\};"


def write(changes: Changes, request: Request, targets: Sequence[Target]) -> None:
    folder = f"console/src/features/{_FEATURES.get(request.app, request.app)}"
    variable = f"{request.model[0].lower()}{request.model[1:]}"
    file = request.name.replace("_", "-")
    _definition(changes, request, targets, f"{folder}/{file}.resource.tsx", variable)
    routes = f"{folder}/routes.ts"
    if "plainRecords" not in changes.text(routes):
        changes.replace(
            routes,
            r"import \{ ([^}]*?),? \} from '#/resource/routes';",
            r"import { \1, plainRecords } from '#/resource/routes';",
        )
    if " routes: resourceRecords(" in changes.text(routes):
        changes.replace(routes, r"routes: (resourceRecords\(\w+\)),\n", r"routes: [\n    ...\1,\n  ],\n")
    records = (
        f"    ...plainRecords({{\n      name: '{request.model}',\n      path: '{request.path}',\n"
        f"      noun: 'nav:{request.name}.*',\n      named: '{request.title.name}',\n"
        f"      load: async () => (await import('./{file}.resource')).{variable},\n    }}),\n"
    )
    changes.insert(routes, records, before=_ROUTES_END)
    nouns = {
        "en": (request.name.replace("_", " "), request.plural.replace("_", " "), request.what),
        "zh": (request.chinese, request.chinese, request.what_chinese),
    }
    for language, words in nouns.items():
        noun = {request.name: dict(zip(("one", "many", "what"), words, strict=True))}
        changes.add_texts(f"console/src/app/nav/locales/{language}.json", noun)


def _definition(changes: Changes, request: Request, targets: Sequence[Target], path: str, variable: str) -> None:
    remotes = sorted({target.remote for target in targets})
    lists = ", ".join(f"{target.field.name}: {target.remote}" for target in targets)
    values = {
        "Model": request.model,
        "variable": variable,
        "path": request.path,
        "title": request.title.name,
        "columns": ", ".join(f"'{field.name}'" for field in request.columns),
        "written": ", ".join(f"'{field.name}'" for field in request.fields),
        "remotes_import": f"import {{ {', '.join(remotes)} }} from '#/domain/remotes';\n" if remotes else "",
        "lists": f"  lists: {{ {lists} }},\n" if lists else "",
    }
    changes.create(path, filled("console/resource.tsx", values))
