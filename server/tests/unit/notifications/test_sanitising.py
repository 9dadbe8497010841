"""Sanitising the HTML of a message."""

import re
from typing import Final

import pytest

from postern.apps.notifications.sanitising import ALLOWED_TAGS, clean_html, has_text


@pytest.mark.spec("S3-014")
def test_only_p_br_b_i_ul_ol_li_a_code_and_table_tags_are_allowed() -> None:
    parts_of_tables = {"thead", "tbody", "tr", "th", "td"}
    assert ALLOWED_TAGS - parts_of_tables == {"p", "br", "b", "i", "ul", "ol", "li", "a", "code", "table"}
    allowed = (
        "<p>a<br><b>b</b><i>c</i></p><ul><li>d</li></ul><ol><li>e</li></ol><code>f</code>"
        "<table><tbody><tr><th>g</th><td>h</td></tr></tbody></table>"
    )
    assert clean_html(allowed) == allowed


@pytest.mark.spec("S3-014")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_links_are_limited_to_http_and_https_and_get_rel(scheme: str) -> None:
    assert clean_html(f'<a href="{scheme}://a.test/b" target="_top" onclick="x()" rel="opener">c</a>') == (
        f'<a href="{scheme}://a.test/b" rel="noopener noreferrer nofollow">c</a>'
    )


#: Ways in which scripts, styles and other pages have got into products that show HTML.
CORPUS: Final = (
    "<script>alert(1)</script>",
    "<ScRiPt src=//x.test></sCrIpT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\tscript:alert(1)'>x</a>",
    "<a href='JaVaScRiPt&colon;alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<a href='//evil.test'>x</a>",
    "<a href='/ui/users'>x</a>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    "<p onmouseover=alert(1)>x</p>",
    "<b id=x name=y class=z>x</b>",
    "<iframe src='https://evil.test'></iframe>",
    "<object data=x></object><embed src=x>",
    "<form action=/x><input name=q><button>x</button></form>",
    "<base href='https://evil.test/'><meta http-equiv=refresh content='0;url=https://evil.test'>",
    "<link rel=stylesheet href=//evil.test><style>@import '//evil.test'</style>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<table background='javascript:alert(1)'><tr><td background=x>x</td></tr></table>",
    "<a href='https://a.test' ping='https://evil.test'>x</a>",
    "<xmp><img src=x onerror=alert(1)></xmp>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
)


@pytest.mark.spec("S3-014")
@pytest.mark.parametrize("hostile", CORPUS)
def test_k3_nothing_executable_and_no_other_link_remains(hostile: str) -> None:
    cleaned = clean_html(f"<p>before</p>{hostile}<p>after</p>")
    tags = {name.lower() for name in re.findall(r"<\s*/?\s*([a-zA-Z]+)", cleaned)}
    assert tags <= ALLOWED_TAGS, cleaned
    attributes = set(re.findall(r"<[^>]*?\s([a-zA-Z:-]+)=", cleaned))
    assert attributes <= {"href", "rel"}, cleaned
    for target in re.findall(r'href="([^"]*)"', cleaned):
        assert target.startswith(("http://", "https://")), cleaned
    assert clean_html(cleaned) == cleaned


@pytest.mark.parametrize(("html", "says"), [("<p>x</p>", True), ("<p> </p><br>", False), ("<script>x</script>", False)])
def test_message_without_text_is_detected(html: str, *, says: bool) -> None:
    assert has_text(clean_html(html)) is says
