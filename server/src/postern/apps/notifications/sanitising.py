"""Sanitises the HTML of site messages with a small allow-list before it is stored (K3: stored text runs nowhere).

Subjects are plain text.
"""

from typing import Final

import nh3

#: Without these elements a table would be displayed as one line of text.
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
    """`html` reduced to p br b i ul ol li code table and links to http and https, which get a `rel` attribute."""
    return _CLEANER.clean(html).strip()


def has_text(html: str) -> bool:
    """Whether cleaned HTML contains any text."""
    return bool(nh3.clean(html, tags=set()).strip())
