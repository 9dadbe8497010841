"""The copied database of a test worker equals a migrated database."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from migrated_once import RUN_FOLDER, is_worker
from postern.apps.audits import queries
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


def test_database_is_migrated_and_has_the_rows_of_every_installation() -> None:
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    assert Organization.objects.filter(pk=DEFAULT_ORG_ID).exists()
    assert ContentType.objects.exists()
    assert Permission.objects.exists()


def test_rows_of_the_installation_are_signed_with_the_key_of_this_data_folder() -> None:
    assert AuditEvent.objects.exists()
    assert list(queries.verify()) == []


@pytest.mark.skipif(not is_worker(), reason="without workers nothing is copied")
def test_copy_belongs_to_this_run() -> None:
    assert (Path(os.environ[RUN_FOLDER]) / "copied").exists()
