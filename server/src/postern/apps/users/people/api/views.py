"""Users: list, create, change, delete, and administrative actions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.users.accounts import service_accounts
from postern.apps.users.accounts.errors import AboveYou
from postern.apps.users.accounts.holding import hold_all, hold_changeable
from postern.apps.users.accounts.models import SystemRole, User
from postern.apps.users.accounts.policy import may_update
from postern.apps.users.accounts.queries import administered_org_ids, subject_of
from postern.apps.users.credentials import kinds as credentials
from postern.apps.users.credentials import link_mail
from postern.apps.users.credentials.actions import links, passwords
from postern.apps.users.credentials.actions.ending import end_chosen, reset_access
from postern.apps.users.credentials.passwords import MAX_PASSWORD_CHARS
from postern.apps.users.groups.models import UserGroup
from postern.apps.users.invitations import actions as invitations
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.people import login_locks, second_factors
from postern.apps.users.people.actions import people
from postern.apps.users.people.actions.people import PersonInput
from postern.apps.users.people.api.serializers import UserSerializer, shown_credentials
from postern.apps.users.people.errors import OwnLockOut, OwnSecondFactor
from postern.apps.users.people.queries import locked_people, people_in, people_known_to, with_org_role, with_role
from postern.foundation.database import row_locks
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest.bodies import BodySerializer, body_of
from postern.foundation.rest.openapi.answers import ANY_OBJECT, ANY_OBJECTS, Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.text import PlainField
from postern.foundation.rest.viewsets import MAX_BULK_ITEMS, ResourceViewSet, SelectionMissing

_SUGGESTIONS = 3
_YES_OR_NO: Final = {"1": True, "true": True, "True": True, "0": False, "false": False, "False": False}
#: Key of the input whose password was hashed before the transaction.
_PREPARED = "prepared"
#: An attack may lock many names; nobody unlocks more than this one by one.
_MOST_LOCKED = 1000


class EndSerializer(BodySerializer):
    """What ends together with the password: an explicit choice."""

    end = serializers.ListField(
        child=serializers.ChoiceField(choices=credentials.CHOICES), required=False, default=list, write_only=True
    )


class PasswordSerializer(EndSerializer):
    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, write_only=True, trim_whitespace=False)


class UserChangeSerializer(UserSerializer):
    """With the old password, a change may also end credentials created with it."""

    end = serializers.ListField(
        child=serializers.ChoiceField(choices=credentials.CHOICES), required=False, default=list, write_only=True
    )

    class Meta(UserSerializer.Meta):
        fields = (*UserSerializer.Meta.fields, "end")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("end") and not attrs.get("password"):
            raise serializers.ValidationError({"end": _("Credentials can be ended only together with a new password.")})
        if "public_keys" in attrs.get("end", ()) and attrs.get("public_key"):
            raise serializers.ValidationError({"end": _("SSH keys cannot be set and removed in the same change.")})
        checked: dict[str, Any] = super().validate(attrs)
        return checked


class InvitationSerializer(BodySerializer):
    #: An id, a user name or an e-mail address. It is not looked up here, because the response must not reveal whether
    #: the user exists.
    user = PlainField(max_length=254)
    role = serializers.ChoiceField(choices=("Admin", "Auditor", "User"))


class UserViewSet(ResourceViewSet):
    """`users/users/`: the members of the organization; in the root organization all users."""

    queryset = User.objects.all()
    serializer_class = UserSerializer
    examples = {"name": "Example", "username": "example", "email": "example@example.com"}
    changed_in_organization = False  # accounts belong to no organization: some are visible in the root only
    serializer_classes = {
        "set_password": PasswordSerializer,
        "invite": InvitationSerializer,
        "update": UserChangeSerializer,
        "partial_update": UserChangeSerializer,
    }
    answers = {
        "suggestion": Answer(schema={"anyOf": [ANY_OBJECT, ANY_OBJECTS]}),
        "locked": Answer(
            schema={
                "type": "array",
                "items": texts("id", "username", "name", "date_locked_until", can_unlock={"type": "boolean"}),
            }
        ),
        "invite": Answer(201, schema=ANY_OBJECTS),
        "remove": Answer(204),
        "remove_selected": Answer(204),
        "reset_second_factor": Answer(schema=texts("msg")),
        "credentials": Answer(schema=ANY_OBJECT),
        "reset_access": Answer(
            schema=texts(
                set_password_link={"anyOf": [texts("url", "date_expired", "msg"), {"type": "null"}]}, ended=ANY_OBJECT
            )
        ),
    }
    rights = {
        "list": Right.ORG_ADMIN,
        "retrieve": Right.ORG_ADMIN,
        "create": Right.ORG_ADMIN,
        "update": Right.ORG_ADMIN,
        "partial_update": Right.ORG_ADMIN,
        "bulk_update": Right.ORG_ADMIN,
        "partial_bulk_update": Right.ORG_ADMIN,
        "destroy": Right.SUPER_USER,
        "bulk_destroy": Right.SUPER_USER,
        "suggestion": Right.ORG_ADMIN,
        "locked": Right.ORG_ADMIN,
        "invite": Right.ORG_ADMIN,
        "remove": Right.ORG_ADMIN,
        "remove_selected": Right.ORG_ADMIN,
        "set_password": Right.ORG_ADMIN,
        "reset_password": Right.ORG_ADMIN,
        "credentials": Right.ORG_ADMIN,
        "reset_access": Right.ORG_ADMIN,
        "reset_public_key": Right.ORG_ADMIN,
        "unblock": Right.ORG_ADMIN,
        "reset_second_factor": Right.ORG_ADMIN,
    }
    acts_on_get = frozenset({"reset_second_factor"})
    filter_fields = ("id", "username", "email", "name", "kind", "source", "is_active", "role")
    own_filters = ("system_or_org_role", "login_blocked")
    search_fields = ("username", "email", "name", "id", "source", "role")
    default_order = ("username",)

    def visible_rows(self) -> QuerySet[User]:
        params = self.request.query_params
        rows = people_in(self.scope)
        if params.get("all") == "1" and self.actor.is_super_user:
            rows = User.objects.all()
        if self.action == "suggestion":
            rows = people_known_to(self.actor)
        if params.get("system_or_org_role"):
            rows = with_role(rows, self.scope, params["system_or_org_role"])
        if params.get("org_role"):
            rows = with_org_role(rows, self.scope, params["org_role"])
        if params.get("login_blocked"):  # each value narrows the rows, because a bulk delete relies on the filter
            names = login_locks.locked_names(list(rows.values_list("username", flat=True)))
            blocked = _YES_OR_NO.get(params["login_blocked"])
            if blocked is None:
                raise ValidationError({"login_blocked": [_("Enter a valid value.")]})
            rows = rows.filter(username__in=names) if blocked else rows.exclude(username__in=names)
        groups = UserGroup.objects.in_scope(self.scope)
        return rows.prefetch_related("memberships", Prefetch("groups", queryset=groups))

    # --- create, change, delete ---

    def prepare_create(self, data: dict[str, Any]) -> dict[str, Any]:
        return {_PREPARED: people.prepare_creation(self.actor, _person_input(data, by_link=_is_by_link(data)))}

    def prepare_update(self, instance: User, data: dict[str, Any]) -> dict[str, Any]:
        person = _person_input(data)
        if person.password:
            person = people.prepare_change(self.actor, self.scope, instance, person)
        return {**data, _PREPARED: person}

    def create_object(self, data: dict[str, Any]) -> User:
        created = people.create_user(actor=self.actor, scope=self.scope, person=data[_PREPARED])
        if created.link is not None:
            answer = self._handed_out(created.user, created.link, link_mail.LinkReason.CREATED)
            created.user.set_password_answer = answer  # type: ignore[attr-defined]  # read by `present` below
        return created.user

    def present(self, made: list[Any], serializer: serializers.BaseSerializer[Any]) -> Any:
        body = super().present(made, serializer)
        for row, user in zip(body if isinstance(body, list) else [body], made, strict=True):
            row.update(getattr(user, "set_password_answer", {}))
        return body

    def update_object(self, instance: User, data: dict[str, Any]) -> User:
        with transaction.atomic():
            user = people.update_user(actor=self.actor, scope=self.scope, user=instance, person=data[_PREPARED])
            end_chosen(actor=self.actor, user=user, kinds=data.get("end", ()))
        return user

    def hold_rows(self, rows: Sequence[Any], values: Sequence[Mapping[str, Any]], *, deleting: bool = False) -> None:
        """Lock the users, the caller, and all administrators if one of them is written, because the last one must stay.

        Then lock their groups.
        """
        administrators = any(user.role == SystemRole.ADMIN for user in rows)
        hold_all(
            self.actor, [user.pk for user in rows], administrators=administrators, deleting=deleting, memberships=True
        )
        row_locks.share(UserGroup, {pk for item in values for pk in item[_PREPARED].group_ids or ()})

    def delete_object(self, instance: User) -> None:
        people.delete_user(actor=self.actor, scope=self.scope, user=instance)

    # --- membership ---

    @action(detail=False, methods=["get"])
    def suggestion(self, request: Request) -> Response:
        """A few users by id, name and login name: of all organizations for super administrators, else of the
        caller's.
        """
        rows = self.filter_queryset(self.get_queryset())[:_SUGGESTIONS]
        body = [{"id": str(user.pk), "name": user.name, "username": user.username} for user in rows]
        if request.query_params.get("limit"):
            return Response({"count": len(body), "next": None, "previous": None, "results": body})
        return Response(body)

    @action(detail=False, methods=["post"])
    def invite(self, request: Request) -> Response:
        """`[{"user": id, user name or e-mail, "role": "Admin"|"Auditor"|"User"}]`: invite users to this organization.

        The response repeats the body, whether or not the users exist. They join when they or one of their
        administrators accept; super administrators add users at once.
        """
        items = request.data if isinstance(request.data, list) else [request.data]
        if len(items) > MAX_BULK_ITEMS:
            raise ValidationError([_("Too many users are named in one request. Name fewer.")])
        serializer = self.get_serializer(data=items, many=True)
        serializer.is_valid(raise_exception=True)
        wishes = [invitations.Wish(item["user"], item["role"]) for item in serializer.validated_data]
        invitations.invite(actor=self.actor, scope=self.scope, wishes=wishes)
        return Response(request.data, status=status.HTTP_201_CREATED)

    @action(detail=True, methods=["post"])
    def remove(self, request: Request, **kwargs: Any) -> Response:
        """Remove a user from this organization; the account stays."""
        del request, kwargs
        user = self.get_object()
        if not self.scope.is_root:
            memberships.remove_from_org(actor=self.actor, scope=self.scope, user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @action(detail=False, methods=["post"], url_path="remove")
    def remove_selected(self, request: Request) -> Response:
        """Remove a selection (`spm`) of users from this organization; does nothing without a selection."""
        if not (request.query_params.get("spm") or request.query_params.get("ids")):
            raise SelectionMissing
        if self.scope.is_root:
            return Response(status=status.HTTP_204_NO_CONTENT)
        rows = list(self.filter_queryset(self.get_queryset())[: MAX_BULK_ITEMS + 1])
        if len(rows) > MAX_BULK_ITEMS:
            raise ValidationError([_("Too many users are named in one request. Name fewer.")])
        with write_transaction():
            hold_all(self.actor, [user.pk for user in rows], memberships=True)
            for user in rows:
                memberships.remove_from_org(actor=self.actor, scope=self.scope, user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    # --- credentials ---

    @action(detail=True, methods=["put", "patch"], url_path="password")
    def set_password(self, request: Request, **kwargs: Any) -> Response:
        """Set a user's password."""
        del kwargs
        user = self._changeable()
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        new = passwords.prepare_for_another(self.actor, user, serializer.validated_data["password"])
        with write_transaction():
            hold_changeable(self.actor, self.scope, user)
            passwords.set_password(actor=self.actor, user=user, new=new)
            end_chosen(actor=self.actor, user=user, kinds=serializer.validated_data["end"])
        return Response({})

    @action(detail=True, methods=["put", "patch"], url_path="password/reset")
    def reset_password(self, request: Request, **kwargs: Any) -> Response:
        """Void the password. The user gets a mail with a one-time link with which they set a new one.

        Without a mail account or a mail address the response contains the link, once. `end`: credentials to end with it.
        """
        del kwargs
        user = self._changeable()
        wish = body_of(request, EndSerializer)
        with write_transaction():
            hold_changeable(self.actor, self.scope, user)
            link = links.issue_set_password_link(actor=self.actor, user=user, void_password=True, scope=self.scope)
            end_chosen(actor=self.actor, user=user, kinds=wish["end"])
            handed_out = self._handed_out(user, link, link_mail.LinkReason.RESET)
        return Response({**self.get_serializer(user).data, **handed_out})

    @action(detail=True, methods=["get"], url_path="credentials")
    def credentials(self, request: Request, **kwargs: Any) -> Response:
        """The user's credentials and open sessions by kind, which a password reset offers to end."""
        del request, kwargs
        return Response(shown_credentials(self._changeable()))

    @action(detail=True, methods=["post"], url_path="access/reset")
    def reset_access(self, request: Request, **kwargs: Any) -> Response:
        """End everything of a suspected account in one transaction.

        The response contains the link with which the user sets a new password, once, and the number of ended
        credentials per kind.
        """
        del request, kwargs
        user = self._changeable()
        with write_transaction():
            hold_changeable(self.actor, self.scope, user)
            link, ended = reset_access(actor=self.actor, scope=self.scope, user=user)
        return Response({"set_password_link": _link(link) if link is not None else None, "ended": ended})

    @action(detail=True, methods=["put", "patch"], url_path="pubkey/reset")
    def reset_public_key(self, request: Request, **kwargs: Any) -> Response:
        """Remove a user's public keys."""
        del request, kwargs
        user = self._changeable()
        with write_transaction():
            hold_changeable(self.actor, self.scope, user)
            passwords.set_public_keys(actor=self.actor, user=user, text="")
        return Response(self.get_serializer(user).data)

    @action(detail=False, methods=["get"])
    def locked(self, request: Request) -> Response:
        """Users locked by failed sign-ins, with the end of each lock; `all=1` as in the list."""
        del request
        as_text = serializers.DateTimeField().to_representation
        rows = locked_people(self.visible_rows(), self.actor, self.scope, limit=_MOST_LOCKED)
        return Response(
            [
                {
                    "id": str(row.user.pk),
                    "username": row.user.username,
                    "name": row.user.name,
                    "date_locked_until": as_text(row.locked_until),
                    "can_unlock": row.can_unlock,
                }
                for row in rows
            ]
        )

    @action(detail=True, methods=["put", "patch"])
    def unblock(self, request: Request, **kwargs: Any) -> Response:
        """Unlock an account name."""
        del request, kwargs
        user = self._changeable()
        if user.pk == self.actor.user_id:
            raise OwnLockOut
        login_locks.unlock(user.username, self.actor)
        return Response(self.get_serializer(user).data)

    @action(detail=True, methods=["get", "post"], url_path="otp/reset")
    def reset_second_factor(self, request: Request, **kwargs: Any) -> Response:
        """Remove the authenticator app of a user who has lost it.

        The contract uses GET; it therefore needs `X-CSRFToken` like POST (ruling).
        """
        del request, kwargs
        user = self._changeable()
        if user.pk == self.actor.user_id:
            raise OwnSecondFactor
        if user.is_service_account:
            raise service_accounts.NoPassword
        with write_transaction():
            hold_changeable(self.actor, self.scope, user)
            second_factors.reset(self.actor, user)
        return Response({"msg": "success"})

    def _handed_out(self, user: User, link: links.IssuedLink, reason: link_mail.LinkReason) -> dict[str, Any]:
        """What the response says about the link: that its mail was queued, or the link itself, this once."""
        if link_mail.queue(self.actor, user, link, reason):
            return {"set_password_mail": _mailed(user, link)}
        return {"set_password_link": _link(link)}

    def _changeable(self) -> User:
        """The user of the URL, if the caller may change them."""
        user: User = self.get_object()
        subject = subject_of(user, self.scope, administered_org_ids(self.actor))
        if not may_update(self.actor, subject):
            raise AboveYou
        return user


def _is_by_link(data: dict[str, Any]) -> bool:
    return bool(data.get("password_strategy", "email") == "email")


def _person_input(data: dict[str, Any], *, by_link: bool = False) -> PersonInput:
    groups, roles = data.get("groups"), data.get("org_roles")
    return PersonInput(
        columns={name: value for name, value in data.items() if name in people.WRITABLE},
        password=data.get("password") or None,
        public_key=data.get("public_key") or None,
        group_ids=None if groups is None else frozenset(group.pk for group in groups),
        org_roles=None if roles is None else frozenset(roles),
        by_link=by_link,
    )


def _mailed(user: User, link: links.IssuedLink) -> dict[str, str]:
    return {
        "address": user.email,
        "date_expired": str(serializers.DateTimeField().to_representation(link.expires_at)),
        "msg": _("A mail with a one-time link was queued for %(address)s.") % {"address": user.email},
    }


def _link(link: links.IssuedLink) -> dict[str, str]:
    expires_at = serializers.DateTimeField().to_representation(link.expires_at)
    # In the fragment, so that the token never appears in a server log or a Referer header.
    return {
        "url": f"/ui/set-password#{link.token.reveal()}",
        "date_expired": str(expires_at),
        "msg": _("No e-mail was sent. Send this link to the user yourself."),
    }
