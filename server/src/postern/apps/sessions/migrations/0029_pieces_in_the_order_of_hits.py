"""The keys of the pieces have the order of hits, and marks are in the index of grams.

The index is made anew: the worker reads the stored recordings again.
"""

import django.db.models.deletion
import postern.kernel.clock
from typing import Any
from django.db import migrations, models
from django.db.models import OuterRef, Subquery

_DROP_SQLITE = (
    "DROP TRIGGER IF EXISTS sessions_recordingpiece_added",
    "DROP TRIGGER IF EXISTS sessions_recordingpiece_deleted",
    "DROP TABLE IF EXISTS sessions_recordinggrams",
)
_SQLITE = (
    "CREATE VIRTUAL TABLE sessions_recordinggrams USING fts5("
    "text, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')",
    "CREATE TRIGGER sessions_recordingpiece_added AFTER INSERT ON sessions_recordingpiece "
    "BEGIN INSERT INTO sessions_recordinggrams (rowid, text) VALUES (new.id, postern_grams(new.lines, new.marks)); END",
    "CREATE TRIGGER sessions_recordingpiece_deleted AFTER DELETE ON sessions_recordingpiece "
    "BEGIN INSERT INTO sessions_recordinggrams (sessions_recordinggrams, rowid, text) "
    "VALUES ('delete', old.id, postern_grams(old.lines, old.marks)); END",
)
_POSTGRESQL = (
    "ALTER TABLE sessions_recordingpiece ADD COLUMN grams integer[] NOT NULL",
    "ALTER TABLE sessions_recordingpiece ALTER COLUMN lines SET STORAGE EXTERNAL",  # they are deflated already
    "CREATE INDEX sessions_recordingpiece_grams ON sessions_recordingpiece USING gin (grams)",
)


def drop_grams(apps: Any, schema_editor: Any) -> None:
    """On PostgreSQL they are a column, which goes with its table."""
    del apps
    if schema_editor.connection.vendor == "sqlite":
        for statement in _DROP_SQLITE:
            schema_editor.execute(statement)


def add_grams(apps: Any, schema_editor: Any) -> None:
    del apps
    for statement in _POSTGRESQL if schema_editor.connection.vendor == "postgresql" else _SQLITE:
        schema_editor.execute(statement)


def begin_again(apps: Any, schema_editor: Any) -> None:
    """All recordings wait, with the organizations of their sessions."""
    del schema_editor
    sessions = apps.get_model("sessions", "Session").objects.filter(pk=OuterRef("session_id"))
    apps.get_model("sessions", "RecordingIndex").objects.update(
        org_id=Subquery(sessions.values("org_id")[:1]),
        date_indexed=None,
        date_due=postern.kernel.clock.now(),
        tries=0,
        reason=None,
        is_whole=True,
    )


class Migration(migrations.Migration):

    dependencies = [
        ('sessions', '0028_grams_of_recordings'),
    ]

    operations = [
        migrations.RunPython(drop_grams, migrations.RunPython.noop),
        migrations.DeleteModel(name='RecordingPiece'),
        migrations.AddField(
            model_name='recordingindex',
            name='org_id',
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='recordingindex',
            name='place',
            field=models.BigIntegerField(null=True, unique=True),
        ),
        migrations.AddField(
            model_name='recordingindex',
            name='faults',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.RunPython(begin_again, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='recordingindex',
            name='org_id',
            field=models.UUIDField(editable=False),
        ),
        migrations.AddIndex(
            model_name='recordingindex',
            index=models.Index(condition=models.Q(('date_indexed__isnull', True), ('reason__isnull', True)), fields=['org_id'], name='sessions_index_new_of_org'),
        ),
        migrations.AddIndex(
            model_name='recordingindex',
            index=models.Index(condition=models.Q(('date_indexed__isnull', True), ('reason__isnull', False)), fields=['org_id'], name='sessions_index_failed_of_org'),
        ),
        migrations.AddIndex(
            model_name='recordingindex',
            index=models.Index(condition=models.Q(('date_indexed__isnull', False), ('is_whole', False)), fields=['org_id'], name='sessions_index_part_of_org'),
        ),
        migrations.CreateModel(
            name='RecordingPiece',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('first_ms', models.BigIntegerField()),
                ('last_ms', models.BigIntegerField()),
                ('marks', models.CharField(max_length=24)),
                ('lines', models.BinaryField()),
                ('index', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pieces', to='sessions.recordingindex')),
            ],
            options={
                'verbose_name': 'Piece of the index of a recording',
                'ordering': ('id',),
            },
        ),
        migrations.RunPython(add_grams, drop_grams),
    ]
