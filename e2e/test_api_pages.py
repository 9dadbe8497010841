"""The API documentation pages in a browser: after sign-in, and without any resource from another host."""

from browser import window
from company import Company
from playwright.sync_api import Browser, expect
from product import ADMIN_PASSWORD, wait_until


def test_strangers_must_sign_in_before_they_read_and_call(browser: Browser, company: Company) -> None:
    context = window(browser)
    page = context.new_page()
    answered: list[str] = []
    page.on("response", lambda response: answered.append(response.url))
    page.goto(f"{company.product.url}/api/docs/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password", exact=True).fill(ADMIN_PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/api/docs/")
    page.get_by_role("link", name="assets", exact=True).click()
    operation = page.locator(".opblock-post").filter(has=page.locator('[data-path="/api/v1/assets/labels/"]'))

    def scrolled_to_it() -> bool:
        """The page draws only the operations that are in view."""
        page.mouse.wheel(0, 400)
        return operation.count() == 1

    wait_until(scrolled_to_it, message="the operation that creates labels")
    operation.locator(".opblock-summary-control").click()
    operation.locator(".try-out__btn").click()
    operation.locator("textarea").last.fill('{"name": "tried", "value": "out"}')
    operation.locator(".execute").click()
    expect(page.locator(".live-responses-table").get_by_text("201", exact=True)).to_be_visible()
    assert "tried" in [label["name"] for label in company.admin.get("/api/v1/assets/labels/")]
    page.close()

    page = context.new_page()
    page.on("response", lambda response: answered.append(response.url))
    page.goto(f"{company.product.url}/api/redoc/")
    page.get_by_role("link", name="assets/labels", exact=True).click()
    # The accessible name of a heading contains that of its link.
    expect(page.locator("h2", has_text="assets_labels_list")).to_be_visible()
    expect(page.locator("h2", has_text="assets_labels_destroy")).to_be_visible()
    assert page.get_by_text("/api/v1/assets/assets/", exact=True).count() == 0
    page.get_by_role("link", name="All resources").click()
    expect(page.get_by_role("heading", name="perms", exact=True)).to_be_visible()
    # Redoc requests a logo from another host. The content security policy blocks the request.
    assert [url for url in answered if not url.startswith((company.product.url, "data:", "blob:"))] == []
    context.close()
