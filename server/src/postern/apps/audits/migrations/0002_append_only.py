"""The tables of the log refuse UPDATE and DELETE (and TRUNCATE where there is such a thing) in the database itself."""

from typing import Any

from django.db import migrations

TABLES = ("audits_auditevent", "audits_loginlog", "audits_passwordchangelog")


def forbid(apps: Any, schema_editor: Any) -> None:
    del apps
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            "CREATE OR REPLACE FUNCTION audits_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$"
        )
        for table in TABLES:
            schema_editor.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION audits_append_only()"
            )
            schema_editor.execute(
                f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION audits_append_only()"
            )
        return
    for table in TABLES:
        for verb in ("UPDATE", "DELETE"):
            schema_editor.execute(
                f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )


def allow(apps: Any, schema_editor: Any) -> None:
    del apps
    if schema_editor.connection.vendor == "postgresql":
        for table in TABLES:
            schema_editor.execute(f"DROP TRIGGER {table}_append_only ON {table}")
            schema_editor.execute(f"DROP TRIGGER {table}_no_truncate ON {table}")
        schema_editor.execute("DROP FUNCTION audits_append_only()")
        return
    for table in TABLES:
        for verb in ("update", "delete"):
            schema_editor.execute(f"DROP TRIGGER {table}_no_{verb}")


class Migration(migrations.Migration):
    dependencies = [("audits", "0001_initial")]
    operations = [migrations.RunPython(forbid, allow)]
