"""Expected failures of the search, each with a stable code."""

from postern.kernel.errors import PosternError


class SearchOff(PosternError):
    """An administrator switched the search inside recordings off."""

    code = "search_off"
