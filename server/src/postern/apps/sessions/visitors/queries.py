"""Reads about users who sign in through a proxy."""

from django.contrib.auth import get_user_model

from postern.contracts.access import LoginNameAnswer
from postern.contracts.login_name import readings


def read_login_name(text: str) -> LoginNameAnswer:
    """Parse an SSH user name: the first interpretation whose user exists. No other code does this."""
    interpretations = readings(text)
    if len(interpretations) == 1:
        return interpretations[0]
    users = get_user_model().objects
    return next(
        (reading for reading in interpretations if reading.username and users.named(reading.username) is not None),
        interpretations[-1],
    )
