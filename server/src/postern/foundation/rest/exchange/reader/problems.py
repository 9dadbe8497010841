"""What can be wrong with a file. The child names it by a slug, the web process says it in the person's language."""

from collections.abc import Mapping


class Unreadable(Exception):
    """The file is not taken. `slug` is one of `messages.TEXTS`, `values` fill in its text."""

    def __init__(self, slug: str, **values: int | str) -> None:
        super().__init__(slug)
        self.slug = slug
        self.values: Mapping[str, int | str] = values
