"""`GET {list}?format=csv|xlsx`: exports and templates.

The file is written to an unnamed temporary file first and then streamed. Memory use stays constant, an error never
leaves a truncated file that looks complete, and a slow client holds neither a transaction nor a database connection.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

from django.db import connection
from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from postern.foundation.rest import fresh_mfa
from postern.foundation.rest.exchange import fields, rows, samples, trail
from postern.foundation.rest.exchange.cells import Cell, cell_of
from postern.foundation.rest.exchange.columns import row_reader, titles_of
from postern.foundation.rest.exchange.formats import FileFormat
from postern.foundation.rest.exchange.writers import TableWriter, table_for
from postern.foundation.rest.streams import FilePieces, streamed

_TEMPLATES: Final = ("import", "update")


@dataclass(frozen=True, slots=True)
class Table:
    """The content of a file: titles and rows of cells."""

    titles: Sequence[str]
    rows: Iterator[Sequence[Cell]]


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a file: the extension of its name, its content type, and what writes it."""

    extension: str
    content_type: str
    writer: Callable[[IO[bytes]], TableWriter]


def asked_format(view: Any) -> FileFormat | None:
    """The file format that the request asks for; None for JSON. Raises ValidationError for an unknown format."""
    text = view.request.query_params.get("format", "")
    if text in {"", "json"}:
        return None
    if not view.exportable or text not in set(FileFormat):
        raise ValidationError({"format": [_("This list cannot be exported in that format.")]})
    return FileFormat(text)


def export(view: Any, file_format: FileFormat) -> StreamingHttpResponse:
    """The answer with the file. Raises TooManyRows, CellTooLong, and what the MFA check raises."""
    if view.export_needs_mfa:
        fresh_mfa.require(view.request)
    template = view.request.query_params.get("template", "")
    if template and (template not in _TEMPLATES or not view.importable):
        raise ValidationError({"template": [_("Enter a valid value.")]})
    form = Form(file_format.value, file_format.sent_as, lambda file: table_for(file_format, file))
    return send(view, _TABLES[template](view), form, kind=template or "export")


def send(view: Any, table: Table, form: Form, *, kind: str = "export") -> StreamingHttpResponse:
    """The answer with a table as a file of this form, which is audited before its first byte is sent."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the answer that sends it
    try:
        count = _write(table, form.writer(file))
        trail.record(
            trail.Export(
                actor=view.actor,
                scope=view.scope,
                resource=_model(view)._meta.object_name,  # noqa: SLF001 - the documented model API
                rows=count,
                kind=kind,
                file_format=form.extension,
                query=query_of(view),
            )
        )
        return _answer(view, form, file)
    except BaseException:
        file.close()
        raise


def _write(table: Table, writer: TableWriter) -> int:
    count = 0
    try:
        writer.write(table.titles)
        for cells in table.rows:
            writer.write(cells)
            count += 1
    except BaseException:
        writer.discard()
        raise
    writer.finish()
    return count


def _answer(view: Any, form: Form, file: IO[bytes]) -> StreamingHttpResponse:
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()  # a slow client should not hold a database connection
    length_bytes = file.seek(0, 2)
    file.seek(0)
    answer = streamed(view.request, FilePieces(file), content_type=form.content_type)
    answer["Content-Length"] = str(length_bytes)
    answer["Content-Disposition"] = f'attachment; filename="{_file_name(view, form.extension)}"'
    return answer


def _file_name(view: Any, extension: str) -> str:
    moment = timezone.localtime().strftime("%Y-%m-%d_%H-%M-%S")
    return f"{_model(view)._meta.model_name}_{moment}.{extension}"  # noqa: SLF001 - the documented model API


def _model(view: Any) -> Any:
    return view.get_queryset().model


def query_of(view: Any) -> dict[str, Any]:
    """The query parameters of the request, for the audit log."""
    params = view.request.query_params
    values_by_name = {
        name: params.getlist(name) for name in params if name not in {"format", "template", "draw", "display"}
    }
    return {name: values[0] if len(values) == 1 else values for name, values in values_by_name.items()}


def _export_table(view: Any) -> Table:
    serializer = fields.for_export(view)
    names = fields.readable(view, serializer)
    titles = titles_of({name: serializer.fields[name] for name in names}, fields.labels_of_import(view))
    return Table([titles[name] for name in names], _cells(view, names, rows.selected_keys(view), fields.for_export))


def _import_template(view: Any) -> Table:
    serializer = fields.for_writing(view, "create")
    names = _without_repeated(fields.writable(view, serializer, with_id=False))
    titles = titles_of({name: serializer.fields[name] for name in names})
    with fields.acting(view, "create"):
        example = samples.row(view, serializer.fields, names)
    return Table([titles[name] for name in names], iter([example]))


def _update_template(view: Any) -> Table:
    serializer = fields.for_writing(view, "update")
    names = _without_repeated(fields.writable(view, serializer, with_id=True))
    titles = titles_of({name: serializer.fields[name] for name in names})
    chosen = any(view.request.query_params.get(name) for name in ("spm", "ids", "limit"))
    keys = rows.selected_keys(view, limit=None if chosen else 1)
    return Table([titles[name] for name in names], _update_cells(view, names, keys))


def _without_repeated(names: Sequence[str]) -> list[str]:
    """The names without display names of relations that have a column of their own, which accepts the same texts."""
    return [name for name in names if not (name.endswith("_display") and name.removesuffix("_display") in names)]


_TABLES: Final[dict[str, Callable[[Any], Table]]] = {
    "": _export_table,
    "import": _import_template,
    "update": _update_template,
}


def _cells(
    view: Any, names: Sequence[str], keys: list[Any], serializer_of: Callable[..., serializers.Serializer[Any]]
) -> Iterator[list[Cell]]:
    """The cells of each row. Each chunk has its own serializer, created with its rows, like a page of the list."""
    for chunk in rows.in_chunks(view, keys):
        serializer = serializer_of(view, chunk)
        yield from map(row_reader(serializer, names), chunk)
        # The two serializers refer to each other and stay until garbage collection. Release their rows now.
        serializer.parent.instance.clear()  # type: ignore[union-attr]  # made with `many`, so the list is there


def _update_cells(view: Any, names: Sequence[str], keys: list[Any]) -> Iterator[list[Cell]]:
    """The cells of each row. Other objects are named as an import understands them, not by id."""
    for chunk in rows.in_chunks(view, keys):
        serializer = fields.for_writing(view, "update", chunk)
        shown = [serializer.to_representation(row) for row in chunk]
        for name in names:
            fields.put_names(serializer.fields[name], name, shown)
        yield from ([cell_of(values.get(name)) for name in names] for values in shown)
        serializer.parent.instance.clear()  # type: ignore[union-attr]  # as above
