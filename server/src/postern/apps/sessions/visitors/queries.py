"""Reads of the people who sign in through a proxy."""

from django.contrib.auth import get_user_model

from postern.contracts.access import LoginNameAnswer
from postern.contracts.login_name import readings


def read_login_name(text: str) -> LoginNameAnswer:
    """How an SSH user name is meant: the first reading whose person exists. The only place that decides it."""
    found = readings(text)
    if len(found) == 1:
        return found[0]
    users = get_user_model().objects
    return next(
        (reading for reading in found if reading.username and users.named(reading.username) is not None), found[-1]
    )
