"""The administrators of a service account are warned before it or one of its keys ends; it gets no message itself."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from postern.apps.authn.models import AccessKey
from postern.apps.notifications import actions, expiry_warnings
from postern.apps.notifications.models import MessageDelivery, SiteMessageReceipt
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.facade import PersonInput, create_user
from postern.apps.users.models import Membership, User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


def robot(org_id: object = DEFAULT_ORG_ID, **columns: object) -> User:
    wish = {"kind": "service", "username": "ci", "name": "CI", "language": "en", **columns}
    return create_user(actor=SYSTEM, scope=OrgScope(org_id), person=PersonInput(columns=wish)).user


def key_of(user: User, comment: str = "nightly", **left: float) -> AccessKey:
    end = clock.now() + timedelta(**left)
    return AccessKey.objects.create(user=user, nonce=b"n" * 32, comment=comment, date_expired=end)


def told() -> dict[str, str]:
    rows = SiteMessageReceipt.objects.select_related("message", "user")
    return {row.user.username: f"{row.message.subject} {row.message.message}" for row in rows}


@pytest.fixture
def olaf(make_user: Callable[..., User]) -> User:
    return make_user("olaf", org_role=OrgRole.ADMIN, language="en")


@pytest.mark.usefixtures("olaf")
def test_ending_key_is_announced_once_a_day_to_the_administrators_of_the_organization(
    make_user: Callable[..., User],
) -> None:
    make_user("uma")
    make_user("far", org_role=OrgRole.ADMIN, org_id=Organization.objects.create(name="Far").pk)
    user = robot()
    key_of(user, days=3)
    key_of(user, comment="later", days=30)
    assert (expiry_warnings.warn_due(), expiry_warnings.warn_due()) == (1, 0)
    assert set(told()) == {"olaf"}
    assert "nightly" in told()["olaf"]
    assert "within 3 days" in told()["olaf"]
    assert f"users/service-accounts/{user.pk}" in told()["olaf"]


@pytest.mark.usefixtures("olaf")
def test_ending_account_is_announced(make_user: Callable[..., User]) -> None:
    robot(date_expired=clock.now() + timedelta(hours=20))
    assert expiry_warnings.warn_due() == 1
    assert "The service account ci ends on" in told()["olaf"]
    del make_user


def test_without_an_administrator_of_its_own_the_system_administrators_are_told(make_user: Callable[..., User]) -> None:
    make_user("root", role="Admin", language="en")
    user = robot()
    Membership.objects.filter(user=user).delete()
    key_of(user, days=1)
    assert expiry_warnings.warn_due() == 1
    assert set(told()) == {"root"}


@pytest.mark.usefixtures("olaf")
def test_keys_that_do_not_work_are_not_announced() -> None:
    user = robot()
    key_of(user, days=-1)
    AccessKey.objects.filter(pk=key_of(user, days=2).pk).update(is_active=False)
    assert expiry_warnings.warn_due() == 0
    key_of(user, days=2)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert expiry_warnings.warn_due() == 0


def test_person_is_warned_once_a_day_before_their_own_access_key_ends(make_user: Callable[..., User]) -> None:
    uma = make_user("uma", language="en")
    key_of(uma, comment="later", days=4)
    first = key_of(uma, days=2)
    key_of(make_user("off", is_active=False), days=2)
    key_of(make_user("not yet"), days=6)
    assert (expiry_warnings.warn_due(), expiry_warnings.warn_due()) == (1, 0)
    assert set(told()) == {"uma"}
    assert "Your access key ends within 2 days" in told()["uma"]
    assert "“nightly”" in told()["uma"]
    assert "/ui/users/profile" in told()["uma"]
    assert str(first.pk) not in told()["uma"]


def test_service_account_gets_no_message_of_people(make_user: Callable[..., User]) -> None:
    user, uma = robot(), make_user("uma")
    actions.send(actor=SYSTEM, subject="to all", message="<p>hello</p>", is_broadcast=True)
    actions.send(actor=SYSTEM, subject="to both", message="<p>hello</p>", users=[user, uma])
    assert not SiteMessageReceipt.objects.filter(user=user).exists()
    assert SiteMessageReceipt.objects.filter(user=uma).count() == 2
    assert not MessageDelivery.objects.filter(user=user).exists()
