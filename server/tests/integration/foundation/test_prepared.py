from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from postern.apps.users.models import User
from postern.foundation.database.prepared import PreparedQuery
from postern.kernel.ids import new_id


def by_id_and_role(*, user_id: Any, role: str) -> QuerySet[User]:
    return User.objects.filter(pk=user_id, role=role).order_by("username")


def prepared(build: Callable[..., QuerySet[Any]] = by_id_and_role) -> PreparedQuery:
    columns = ("username", "id", "date_joined", "is_active")
    return PreparedQuery(build, stand_ins={"user_id": new_id(), "role": "no role"}, columns=columns)


@pytest.mark.django_db
def test_rows_for_other_parameters_equal_those_of_the_queryset(make_user: Callable[..., User]) -> None:
    query = prepared()
    for user in (make_user("ann"), make_user("bob"), make_user("eve", is_active=False)):
        expected = list(
            by_id_and_role(user_id=user.pk, role="User").values("username", "id", "date_joined", "is_active")
        )
        assert query.rows(user_id=user.pk, role="User") == expected
        assert query.rows(user_id=user.pk, role="Admin") == []
    assert query.rows(user_id=new_id(), role="' OR 1=1 --") == []


@pytest.mark.django_db
def test_parameter_that_gets_lost_is_refused_instead_of_ignored() -> None:
    def ignores_role(*, user_id: Any, role: str) -> QuerySet[User]:
        del role
        return User.objects.filter(pk=user_id)

    with pytest.raises(LookupError):
        prepared(ignores_role).rows(user_id=new_id(), role="User")


@pytest.mark.django_db(transaction=True)
def test_rows_in_another_thread_use_the_connection_of_that_thread(make_user: Callable[..., User]) -> None:
    query, user = prepared(), make_user("ann")
    assert query.rows(user_id=user.pk, role="User")
    results: list[Any] = []

    def read() -> None:
        try:
            results.extend(query.rows(user_id=user.pk, role="User"))
        finally:
            connection.close()

    thread = Thread(target=read)
    thread.start()
    thread.join()
    assert [row["username"] for row in results] == ["ann"]
