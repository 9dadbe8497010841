"""The HTML of site messages: a small allow-list, applied before anything is stored (K3). Subjects are plain text."""

from typing import Final

import nh3

#: Parts of a table belong to it: without them a table would be one line of text.
_TABLE: Final = frozenset({"table", "thead", "tbody", "tr", "th", "td"})
ALLOWED_TAGS: Final = frozenset({"p", "br", "b", "i", "ul", "ol", "li", "a", "code"}) | _TABLE

_CLEANER: Final = nh3.Cleaner(
    tags=set(ALLOWED_TAGS),
    clean_content_tags={"script", "style", "template", "noscript", "iframe", "object", "svg", "math", "title"},
    attributes={"a": {"href"}},
    url_schemes={"http", "https"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
    strip_comments=True,
)


def clean_html(html: str) -> str:
    """`html` with nothing left but p br b i ul ol li code table and links to http and https, which carry `rel`."""
    return _CLEANER.clean(html).strip()


def has_text(html: str) -> bool:
    """Whether cleaned HTML says anything."""
    return bool(nh3.clean(html, tags=set()).strip())
