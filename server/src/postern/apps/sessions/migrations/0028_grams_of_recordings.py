"""The grams of the pieces, in what each database has for them, and a row for each recording that is stored already."""

from typing import Any

from django.db import migrations

_SQLITE = (
    "CREATE VIRTUAL TABLE sessions_recordinggrams USING fts5("
    "text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')",
    "CREATE TRIGGER sessions_recordingpiece_added AFTER INSERT ON sessions_recordingpiece "
    "BEGIN INSERT INTO sessions_recordinggrams (rowid, text) VALUES (new.id, postern_grams(new.lines)); END",
    "CREATE TRIGGER sessions_recordingpiece_deleted AFTER DELETE ON sessions_recordingpiece "
    "BEGIN INSERT INTO sessions_recordinggrams (sessions_recordinggrams, rowid, text) "
    "VALUES ('delete', old.id, postern_grams(old.lines)); END",
)
_NOT_SQLITE = (
    "DROP TRIGGER sessions_recordingpiece_added",
    "DROP TRIGGER sessions_recordingpiece_deleted",
    "DROP TABLE sessions_recordinggrams",
)
_POSTGRESQL = (
    "ALTER TABLE sessions_recordingpiece ADD COLUMN grams integer[] NOT NULL",
    "ALTER TABLE sessions_recordingpiece ALTER COLUMN lines SET STORAGE EXTERNAL",  # they are deflated already
    "CREATE INDEX sessions_recordingpiece_grams ON sessions_recordingpiece USING gin (grams)",
)
_NOT_POSTGRESQL = ("ALTER TABLE sessions_recordingpiece DROP COLUMN grams",)


def add(apps: Any, schema_editor: Any) -> None:
    del apps
    for statement in _POSTGRESQL if schema_editor.connection.vendor == "postgresql" else _SQLITE:
        schema_editor.execute(statement)


def remove(apps: Any, schema_editor: Any) -> None:
    del apps
    for statement in _NOT_POSTGRESQL if schema_editor.connection.vendor == "postgresql" else _NOT_SQLITE:
        schema_editor.execute(statement)


def queue(apps: Any, schema_editor: Any) -> None:
    """Recordings from before this version are indexed as well."""
    del schema_editor
    stored = apps.get_model("sessions", "Recording").objects.filter(date_stored__isnull=False)
    kind = apps.get_model("sessions", "RecordingIndex")
    rows = stored.values_list("session_id", "session__date_start").iterator(chunk_size=1_000)
    kind.objects.bulk_create(
        (kind(session_id=session_id, date_start=date_start) for session_id, date_start in rows), batch_size=500
    )


class Migration(migrations.Migration):

    dependencies = [
        ('sessions', '0027_index_of_recordings'),
    ]

    operations = [
        migrations.RunPython(add, remove),
        migrations.RunPython(queue, migrations.RunPython.noop),
    ]
