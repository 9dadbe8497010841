"""Fills the tables behind lists with any number of rows by SQL, for tests and benchmarks of lists at size.

    many = ManyRows(admin)
    many.fill(Session, 1_000_000)

Values follow from the columns. Unique columns get unique values, and choices rotate. Foreign keys are spread over the
other table, so that each of its rows has `PER_ROW` links at any size. `_SPECIAL` sets the few columns whose meaning
matters.

The rows are only for reading: no signal, no `save`, no audit record.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db import connection, models, transaction

from postern.apps.assets.models import Asset, AssetNode, AssetProtocol, FavoriteAsset, HostKey, Label, Node, NodePath
from postern.apps.audits.catalogue import Event
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import AccessKey, LoginSession
from postern.apps.jobs.models import BatchCommand, CommandSnippet, Execution, HostOutcome, HostOutput, Job
from postern.apps.notifications.models import SiteMessage, SiteMessageReceipt
from postern.apps.orgs.models import Organization
from postern.apps.sessions.models import (
    CommandStorage,
    EnteredCredential,
    ProxyOrder,
    ReplayStorage,
    Session,
    Terminal,
)
from postern.apps.users.models import Invitation, Membership, User
from postern.apps.vault.models import SystemUser, SystemUserAsset
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

Maker = Callable[[int], Any]
_Model = type[models.Model]
#: Links of each row that a link table joins, and commands of a session.
PER_ROW: Final = 5
#: Minimum number of rows of a table that other tables refer to.
_FEWEST: Final = 20
_BATCH: Final = 5_000
#: Higher than the numbers that an installation assigns.
_FIRST_NUMBER: Final = 1_000_000
#: Number of different texts in a column without a unique constraint.
_TEXTS: Final = 100
#: Tables whose rows are visible to their owner only.
_PERSONAL: Final[frozenset[_Model]] = frozenset(
    {AccessKey, LoginSession, SiteMessageReceipt, FavoriteAsset, CommandSnippet}
)
#: The same, where the owner is a column with an id.
_OWNED_BY: Final[frozenset[tuple[_Model, str]]] = frozenset({(BatchCommand, "user_id"), (EnteredCredential, "user_id")})
#: Tables in which each row belongs to a different row of another table.
_PAIRED: Final[Mapping[_Model, _Model]] = {
    Membership: User,
    SiteMessageReceipt: SiteMessage,
    FavoriteAsset: Asset,
    ProxyOrder: Session,
    Execution: Job,
    BatchCommand: Job,
    HostOutput: HostOutcome,
}
_SPECIAL: Final[Mapping[tuple[_Model, str], Any]] = {
    (AuditEvent, "event"): lambda number: tuple(Event)[number % len(Event)].value,
    (AuditEvent, "sequence"): lambda number: _FIRST_NUMBER + number,
    (Asset, "ip"): lambda number: f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
    (Asset, "dense_id"): lambda number: _FIRST_NUMBER + number,
    (HostKey, "gateway_id"): None,
    (Invitation, "answer"): "",
    (Invitation, "roles"): ["User"],
    (Node, "key"): lambda number: f"1:{_FIRST_NUMBER + number}",
    (Membership, "role"): "User",
    (CommandStorage, "is_default"): False,
    (ReplayStorage, "is_default"): False,
    (ProxyOrder, "kind"): "terminate_session",
    (Session, "state"): "ended",
    (Session, "end_reason"): "user_closed",
    (Session, "is_locked"): False,
    (Session, "locked_by"): "",
    (Session, "date_locked"): None,
    (SystemUser, "priority"): 50,
    (SystemUser, "protocol"): "ssh",
    (Terminal, "is_accepted"): True,
    (User, "role"): "User",
    (User, "kind"): "person",
    (User, "source"): "local",
}


class ManyRows:
    """Makes rows of the default organization. `admin` owns the rows that belong to a user."""

    def __init__(self, admin: User) -> None:
        self._admin = admin
        self._keys: dict[_Model, list[Any]] = {}
        self._start = clock.now() - timedelta(days=1)

    def fill(self, model: _Model, count: int) -> None:
        """Add rows until this table has `count` made rows."""
        model = model._meta.concrete_model or model
        keys = self._keys.setdefault(model, [])
        if len(keys) >= count:
            return
        for other, needed in self._referred(model, count):
            self.fill(other, needed)
        # computed only now, because filling the other tables may have filled this one
        numbers = range(len(keys), count)
        columns = list(model._meta.concrete_fields)
        makers = [self._maker(model, column) for column in columns]
        place = columns.index(model._meta.pk)

        def rows() -> Iterator[tuple[Any, ...]]:
            for number in numbers:
                row = tuple(make(number) for make in makers)
                keys.append(row[place])
                yield row

        write(model, [str(column.column) for column in columns], rows())
        if model in _AFTER:
            _AFTER[model](self, numbers)

    def keys(self, model: _Model) -> list[Any]:
        """The primary keys of the made rows, in the database's representation."""
        return self._keys.get(model._meta.concrete_model or model, [])

    def _referred(self, model: _Model, count: int) -> Iterator[tuple[_Model, int]]:
        for column in _foreign_keys(model):
            other = column.related_model
            if other is model or other is Organization or self._is_own(model, column):
                continue
            if other is Terminal:  # a few terminals carry all sessions
                yield other, _FEWEST
            else:
                yield other, count if _PAIRED.get(model) is other else max(_FEWEST, count // PER_ROW + 1)

    def _is_own(self, model: _Model, column: Any) -> bool:
        return column.related_model is User and model in _PERSONAL

    def _maker(self, model: _Model, column: Any) -> Maker:  # noqa: C901, PLR0911 - a table of cases
        """A function from the number of a row to the value of this column, in the database's representation."""
        if (model, column.name) in _SPECIAL:
            special = _SPECIAL[model, column.name]
            return special if callable(special) else _always(column, special)
        if (model, column.name) in _OWNED_BY:
            return _always(column, self._admin.pk)
        if isinstance(column, models.ForeignKey):
            return self._reference(model, column)
        if isinstance(column, models.AutoField):
            return lambda number: _FIRST_NUMBER + number
        if column.primary_key:
            return lambda _number: _stored_key(UUID(bytes=os.urandom(16), version=4))
        if column.name == "org_id":
            return _always(column, DEFAULT_ORG_ID)
        if isinstance(column, models.DateTimeField):
            return self._instant(column)
        if column.choices and not column.null:
            values = [value for value, _words in column.flatchoices if value != ""]
            return lambda number: values[number % len(values)]
        if column.unique or column.name in _within_unique_constraints(model):
            return _distinct(column)
        if column.null:
            return _always(column, None)
        if column.has_default() and (column.get_default() or not isinstance(column, models.CharField)):
            return _always(column, column.get_default())
        return _filling(column)

    def _reference(self, model: _Model, column: Any) -> Maker:
        if self._is_own(model, column):
            return _always(column, self._admin.pk)
        if column.related_model is Organization:
            return _always(column, DEFAULT_ORG_ID)
        if model is Node:
            return _always(column, Node.objects.get(org_id=DEFAULT_ORG_ID, parent__isnull=True).pk)
        if column.null and column.name != "terminal" and model not in {HostKey, Invitation, SystemUserAsset}:
            return _always(column, None)
        keys = self._keys[column.related_model]
        if model in _PAIRED:
            return lambda number: keys[number % len(keys)]
        links = [other for other in _foreign_keys(model) if not self._is_own(model, other)]
        if column is links[0]:
            return lambda number: keys[number // PER_ROW % len(keys)]
        return lambda number: keys[(number // PER_ROW + number % PER_ROW) % len(keys)]

    def _instant(self, column: Any) -> Maker:
        start = self._start + (timedelta(days=9_000) if column.name == "date_expired" else timedelta())
        if column.null and column.name != "date_end":
            return _always(column, None)
        make = connection.ops.adapt_datetimefield_value
        return lambda number: make(start - timedelta(seconds=number))


def write(model: _Model, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows of these columns in batches, in one transaction."""
    names = list(columns)
    marks = ", ".join(["%s"] * len(names))
    quoted = ", ".join(f'"{name}"' for name in names)
    statement = f'INSERT INTO "{model._meta.db_table}" ({quoted}) VALUES ({marks})'  # noqa: S608 - names of the models
    rows = iter(rows)
    with transaction.atomic(), connection.cursor() as cursor:
        while batch := list(islice(rows, _BATCH)):
            cursor.executemany(statement, batch)


def _foreign_keys(model: _Model) -> list[Any]:
    return [column for column in model._meta.concrete_fields if isinstance(column, models.ForeignKey)]


def _within_unique_constraints(model: _Model) -> set[str]:
    constraints = (
        constraint for constraint in model._meta.constraints if isinstance(constraint, models.UniqueConstraint)
    )
    return {name for constraint in constraints for name in constraint.fields}


def _always(column: Any, value: Any) -> Maker:
    stored = column.get_db_prep_save(value, connection)
    return lambda _number: stored


def _distinct(column: Any) -> Maker:
    if isinstance(column, models.IntegerField):
        return lambda number: number + 1
    if isinstance(column, models.UUIDField):
        return lambda number: _stored_key(UUID(int=number + 1))
    return lambda number: f"{column.name}-{number:07}"


def _filling(column: Any) -> Maker:
    if isinstance(column, models.UUIDField):
        return lambda number: _stored_key(UUID(int=number % _TEXTS + 1))
    if isinstance(column, models.BooleanField):
        return lambda number: number % 2 == 0
    if isinstance(column, models.IntegerField | models.FloatField):
        return lambda number: number % _TEXTS
    if isinstance(column, models.JSONField | models.BinaryField):
        return _always(column, {} if isinstance(column, models.JSONField) else os.urandom(16))
    return lambda number: f"{column.name} {number % _TEXTS:02}"[-(column.max_length or _TEXTS) :]


def _stored_key(value: UUID) -> Any:
    return value if connection.features.has_native_uuid_field else value.hex


# --- rows without which rows of another table are not listed ---


def _members(many: ManyRows, numbers: range) -> None:
    many.fill(Membership, numbers.stop)


def _below_the_root(many: ManyRows, numbers: range) -> None:
    """Make each node its own ancestor and a child of the root node."""
    root = _stored_key(Node.objects.get(org_id=DEFAULT_ORG_ID, parent__isnull=True).pk)
    nodes = many.keys(Node)[numbers.start :]
    write(NodePath, ("ancestor_id", "descendant_id"), (pair for node in nodes for pair in ((root, node), (node, node))))


def _placed(many: ManyRows, numbers: range) -> None:
    """Give each asset a node and a protocol, and every tenth asset a label."""
    many.fill(Node, numbers.stop // PER_ROW + 1)
    many.fill(Label, numbers.stop // 20 + 1)
    nodes, labels = many.keys(Node), many.keys(Label)
    assets = [(number, many.keys(Asset)[number]) for number in numbers]
    write(AssetNode, ("asset_id", "node_id"), ((asset, nodes[number // PER_ROW]) for number, asset in assets))
    write(
        AssetProtocol,
        ("asset_id", "name", "port", "position"),
        ((asset, "ssh", 22, 0) for _number, asset in assets),
    )
    carriers = ((asset, labels[number // 20]) for number, asset in assets if number % 10 == 0)
    write(Asset.labels.through, ("asset_id", "label_id"), carriers)


_AFTER: Final[Mapping[_Model, Callable[[ManyRows, range], None]]] = {
    User: _members,
    Node: _below_the_root,
    Asset: _placed,
}
