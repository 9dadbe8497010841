"""An object that somebody else deletes in the middle of a call, at each moment at which the database would let them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models, transaction
from django.db.models import ProtectedError, RestrictedError

from writes.case import Write, filled
from writes.database import written_table
from writes.trial import Trial


@dataclass
class Moments:
    """Counts the statements of a call; before the one with the number `at` the object vanishes."""

    victim: models.Model
    at: int | None = None
    #: Statements before which others could still delete the object: those after it was read, until it is locked.
    open_to_others: list[int] = field(default_factory=list)
    vanished: bool = False
    _number: int = 0
    _is_read: bool = False
    _is_locked: bool = False
    _busy: bool = False

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if self._busy:
            return execute(sql, params, many, context)
        if self._is_read and not self._is_locked:
            self.open_to_others.append(self._number)
            if self._number == self.at:
                self._busy = True
                self._delete()
                self._busy = False
        self._number += 1
        table = f'"{self.victim._meta.db_table}"'
        if "FOR UPDATE" in sql or written_table(sql) is not None:
            self._is_locked = True
        if connection.vendor == "sqlite" and sql.startswith("SAVEPOINT"):
            self._is_locked = True  # a transaction of SQLite is alone with the database
        if sql.startswith("SELECT") and table in sql:
            self._is_read = True
        return execute(sql, params, many, context)

    def _delete(self) -> None:
        try:
            with transaction.atomic():
                type(self.victim)._base_manager.filter(pk=self.victim.pk).delete()
        except (ProtectedError, RestrictedError):
            return
        self.vanished = True


@contextmanager
def moments(victim: models.Model, at: int | None = None) -> Iterator[Moments]:
    """Watch the statements; with `at` let the object vanish."""
    watching = Moments(victim, at)
    with connection.execute_wrapper(watching):
        yield watching


def victims(trial: Trial) -> list[models.Model]:
    """The objects that the path of a call names."""
    found: list[models.Model] = []
    for value in (str(filled(text, trial.values)) for text in trial.write.at.values()):
        found += _objects(value)
    return found


def _objects(text: str) -> Iterator[models.Model]:
    try:
        key = UUID(text)
    except ValueError:
        return
    for model in apps.get_models():
        if isinstance(model._meta.pk, models.UUIDField):
            row = model._base_manager.filter(pk=key).first()
            if row is not None:
                yield row


def is_back(victim: models.Model) -> bool:
    """Whether a write has brought the object to life again."""
    return type(victim)._base_manager.filter(pk=victim.pk).exists()


def reading(write: Write) -> Write:
    """The GET of the same path."""
    return Write(method="GET", path=write.path, at=write.at, caller=write.caller, prepare=write.prepare)
