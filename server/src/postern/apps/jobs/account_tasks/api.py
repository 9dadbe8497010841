"""`accounts/tasks/` and `accounts/{id}/verify/`: sign in with accounts, to see whether they work (contract: accounts)."""

from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.jobs.account_tests.job import TEST_ACCOUNTS, AccountsArgument
from postern.apps.jobs.engine.starting import STARTED
from postern.apps.jobs.executions.actions import MAX_HOSTS, TooManyHosts
from postern.apps.jobs.system_user_tasks.actions import start_for_accounts
from postern.apps.vault.accounts.rows import AccountRows
from postern.foundation.caller.scope import writable
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right


class AccountActionSerializer(BodySerializer):
    """`{"action": "test"}`."""

    action = serializers.ChoiceField(choices=(("test", TEST_ACCOUNTS.label),), label=gettext_lazy("Action"))


class AccountTasksViewSet(AccountRows):
    """Starts tests of accounts. Which accounts: the same query parameters as for the list."""

    serializer_class = AccountActionSerializer
    exportable = False
    made_in_organization = False
    rights = {"start": Right.ORG_ADMIN, "verify": Right.ORG_ADMIN}
    answers = {"start": Answer(201, schema=STARTED), "verify": Answer(200, schema=STARTED)}

    def start(self, request: Request, **kwargs: Any) -> Response:
        """Test the accounts that the query parameters select."""
        body_of(request, AccountActionSerializer, scope=self.scope)
        rows = self.filter_queryset(self.get_queryset()).order_by("asset__hostname", "pk")
        keys = list(dict.fromkeys(rows.values_list("pk", flat=True)[: MAX_HOSTS + 1]))
        if len(keys) > MAX_HOSTS:
            raise TooManyHosts(_("One job takes at most %(number)d accounts. Filter the list.") % {"number": MAX_HOSTS})
        if not keys:
            raise ValidationError({"detail": _("There is no account to test.")})
        return self._started(keys, status=201)

    def verify(self, request: Request, **kwargs: Any) -> Response:
        """Test one account."""
        body_of(request, _OptionalAction, scope=self.scope)
        return self._started([self.get_object().pk], status=200)

    def _started(self, keys: list[Any], *, status: int) -> Response:
        org_id = writable(self.scope)
        argument = AccountsArgument(accounts=tuple(sorted(keys)))
        job = start_for_accounts(actor=self.actor, org_id=org_id, kind=TEST_ACCOUNTS, argument=argument)
        return Response({"task": str(job.pk)}, status=status)


class _OptionalAction(AccountActionSerializer):
    action = serializers.ChoiceField(choices=(("test", TEST_ACCOUNTS.label),), required=False)


TASKS: Final = AccountTasksViewSet.as_view({"post": "start"})
VERIFY: Final = AccountTasksViewSet.as_view({"post": "verify"})
