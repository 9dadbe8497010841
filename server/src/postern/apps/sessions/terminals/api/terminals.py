"""Terminals: registration by components, and the list for super administrators."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, cast

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.authentication import BaseAuthentication
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.preferences import facade as preferences
from postern.apps.sessions.terminals import policy, storages
from postern.apps.sessions.terminals.actions import registrations, terminals
from postern.apps.sessions.terminals.api.authentication import Component, RegistrationAuthentication
from postern.apps.sessions.terminals.api.serializers import RegistrationSerializer, TerminalSerializer
from postern.apps.sessions.terminals.models import Terminal
from postern.apps.users import facade as users
from postern.contracts.enums import SessionState
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.related import Amount
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import DeleteMixin, ReadOnlyViewSet, UpdateMixin
from postern.kernel import clock

#: In the words of the partial index of live sessions: SQLite uses it only then, and else reads all that ever were.
_LIVE_SESSIONS: Final = Amount("sessions.Session", "terminal_id", only=~Q(state=SessionState.ENDED.value))


def registration_closed() -> Response | None:
    """The answer to everybody who registers with the bootstrap token while that is switched off; None while it is on."""
    if preferences.get_bool("SECURITY_SERVICE_ACCOUNT_REGISTRATION"):
        return None
    text = _("The registration of components is switched off. A super administrator can switch it on in the settings.")
    return Response({"error": text}, status=400)


class RegistrationView(PosternView):
    """`POST terminal/terminal-registrations/`: register a proxy and return its secret, once.

    The setting that closes registration applies to remote proxies; the proxy of the own data folder can still register.
    """

    rights = Right.BOOTSTRAP
    always_root = True
    gates_apply = False

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [RegistrationAuthentication()]

    def post(self, request: Request) -> Response:
        is_local = isinstance(request.user, Component) and request.user.is_local
        closed = None if is_local else registration_closed()
        if closed is not None:
            return closed
        data = body_of(request, RegistrationSerializer)
        made = registrations.register(
            actor=self.actor, name=data["name"], type_=data["type"], comment=data["comment"], is_local=is_local
        )
        terminal = made.terminal
        return Response(
            {
                "id": str(terminal.pk),
                "name": terminal.name,
                "type": terminal.type,
                "comment": terminal.comment,
                "remote_addr": terminal.remote_addr,
                "service_account": {
                    "id": str(terminal.pk),
                    "name": terminal.name,
                    "access_key": {
                        "id": str(terminal.pk),
                        "secret": made.secret.reveal(),
                        "is_active": True,
                        "date_created": terminal.date_created,
                    },
                },
            },
            status=status.HTTP_201_CREATED,
        )


class TerminalViewSet(UpdateMixin, DeleteMixin, ReadOnlyViewSet):
    """Terminals, for super administrators. There is no create: components register themselves."""

    queryset = Terminal.objects.all()
    serializer_class = TerminalSerializer
    answers = {"refuse": Answer(204)}
    rights = Right.SUPER_USER
    filter_fields = ("name", "remote_addr", "type")
    search_fields = ("name", "remote_addr", "comment")
    ordering_fields = ("name", "remote_addr", "date_created")
    amounts = {"session_online": _LIVE_SESSIONS}
    always_root = True

    def visible_rows(self) -> QuerySet[Any]:
        return Terminal.objects.existing()

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the caller first: a concurrent write that ends a suspected administrator's access waits for this write,
        or commits before it.
        """
        users.hold_caller(self.actor)
        for column in storages.TABLES:
            storages.hold(column, {item[column] for item in values if column in item})
        super().hold_rows(rows, values)  # a deleted terminal keeps its row

    def metadata_version(self) -> Hashable:
        return tuple(tuple(storages.names(column)) for column in storages.TABLES)

    def update_object(self, instance: Terminal, data: dict[str, Any]) -> Terminal:
        terminals.change_terminal(actor=self.actor, terminal=instance, changes=data)
        return cast("Terminal", self.visible_rows().get(pk=instance.pk))

    def delete_object(self, instance: Terminal) -> None:
        terminals.delete_terminal(actor=self.actor, terminal=instance)

    @action(detail=True, methods=["post"])
    def accept(self, request: Request, pk: str) -> Response:
        """Accept a waiting proxy."""
        del request, pk
        return self._answer(registrations.accept(actor=self.actor, terminal=self.get_object()))

    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: str) -> Response:
        """Refuse a waiting proxy."""
        del request, pk
        registrations.refuse(actor=self.actor, terminal=self.get_object())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @action(detail=True, methods=["post"], url_path="renew-credential")
    def renew_credential(self, request: Request, pk: str) -> Response:
        """Make the proxy fetch a new credential with its next heartbeat."""
        del request, pk
        return self._answer(registrations.order_renewal(actor=self.actor, terminal=self.get_object()))

    @action(detail=True, methods=["post"], url_path="revoke-credential")
    def revoke_credential(self, request: Request, pk: str) -> Response:
        """Revoke the proxy's credential: it has to register and be accepted again."""
        del request, pk
        return self._answer(registrations.revoke(actor=self.actor, terminal=self.get_object()))

    def _answer(self, terminal: Terminal) -> Response:
        row = self.visible_rows().get(pk=terminal.pk)
        return Response(self.get_serializer(self.completed([row])[0]).data)


class ComponentMetricsView(PosternView):
    """`GET terminal/components/metrics/`: number of components by type and state."""

    rights = Right.SUPER_USER
    always_root = True

    def get(self, request: Request) -> Response:
        del request
        counts_by_type: dict[str, dict[str, Any]] = {}
        now = clock.now()
        terminals_now = list(Terminal.objects.existing())
        _LIVE_SESSIONS.attach(terminals_now, "session_online")
        for terminal in terminals_now:
            empty = {"type": terminal.type, "total": 0, "session_active": 0}
            row = counts_by_type.setdefault(terminal.type, empty | {state.value: 0 for state in policy.TerminalStatus})
            state = policy.terminal_status(
                alive=policy.is_alive(terminal.date_last_heartbeat, now),
                cpu_load=terminal.cpu_load,
                memory_used=terminal.memory_used,
                disk_used=terminal.disk_used,
            )
            row["total"] += 1
            row[state.value] += 1
            row["session_active"] += vars(terminal)["session_online"]
        return Response(list(counts_by_type.values()))
