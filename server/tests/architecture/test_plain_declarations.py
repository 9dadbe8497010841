"""A plain resource has a declaration for the tests, so that none of them leaves it out."""

from declarations import PLAIN
from postern.foundation.checks import view_of, walk
from postern.foundation.rest.plain import PlainResourceViewSet


def test_every_plain_resource_is_declared_to_the_tests() -> None:
    served = {
        view.queryset.model.__name__
        for _, pattern in walk()
        if isinstance(view := view_of(pattern), PlainResourceViewSet)
    }
    assert served == {resource.kind for resource in PLAIN}, "write tests/declarations/<resource>.py"
