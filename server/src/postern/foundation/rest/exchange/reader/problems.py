"""Problems with a file. The child reports a slug; the web process turns it into a message in the user's language."""

from collections.abc import Mapping


class Unreadable(Exception):
    """The file is refused. `slug` is a key of `messages.TEXTS`; `values` are inserted into its text."""

    def __init__(self, slug: str, **values: int | str) -> None:
        super().__init__(slug)
        self.slug = slug
        self.values: Mapping[str, int | str] = values
