from typing import Any

from django.db import migrations, models


def fill(apps: Any, schema_editor: Any) -> None:
    """Give each order the organization of its session."""
    of_session = apps.get_model("sessions", "Session").objects.filter(pk=models.OuterRef("session_id")).values("org_id")
    apps.get_model("sessions", "ProxyOrder").objects.update(org_id=models.Subquery(of_session))


class Migration(migrations.Migration):

    dependencies = [
        ('sessions', '0021_kind_of_user'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='filetransfer',
            name='sessions_transfer_org',
        ),
        migrations.AddIndex(
            model_name='filetransfer',
            index=models.Index(fields=['org_id', '-date_start', 'id'], name='sessions_transfer_org'),
        ),
        migrations.RemoveIndex(
            model_name='proxyorder',
            name='sessions_order_newest',
        ),
        migrations.AddIndex(
            model_name='proxyorder',
            index=models.Index(fields=['-date_created', 'id'], name='sessions_order_newest'),
        ),
        migrations.AddField(
            model_name='proxyorder',
            name='org_id',
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='proxyorder',
            name='org_id',
            field=models.UUIDField(editable=False),
        ),
        migrations.AddIndex(
            model_name='proxyorder',
            index=models.Index(fields=['org_id', '-date_created', 'id'], name='sessions_order_of_org'),
        ),
        migrations.RemoveIndex(
            model_name='command',
            name='sessions_command_org',
        ),
        migrations.RemoveIndex(
            model_name='session',
            name='sessions_org_start',
        ),
        migrations.AddIndex(
            model_name='command',
            index=models.Index(fields=['org_id', '-at', 'id'], name='sessions_command_org'),
        ),
        migrations.AddIndex(
            model_name='session',
            index=models.Index(fields=['org_id', '-date_start', 'id'], name='sessions_org_start'),
        ),
    ]
