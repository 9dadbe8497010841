"""Messages about dangerous commands, from a real session with a real host to what the administrator reads."""

import subprocess
import uuid
from typing import Any, Final

from product import wait_until
from world import World

FILTERS: Final = "/api/v1/assets/cmd-filters/"
MESSAGES: Final = "/api/v1/notifications/site-message/?limit=100&offset=0"


def alerts(world: World, kind: str, mark: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = world.admin.get(MESSAGES)["results"]
    return [row for row in rows if row["message_type"] == kind and mark in row["message"]]


def test_command_that_a_filter_refuses_in_a_session_is_told_once_with_a_link_to_the_session(world: World) -> None:
    mark = f"halt-{uuid.uuid4().hex[:8]}"
    made = world.admin.post(FILTERS, {"name": mark, "system_users": [world.system_user_id]})
    rule = {"filter": made["id"], "type": "command", "content": mark, "action": 0, "priority": 50}
    world.admin.post(f"{FILTERS}{made['id']}/rules/", rule)
    try:
        answer = subprocess.run(world.ssh(f"{mark} <now"), check=False, capture_output=True, timeout=120)
        assert answer.returncode != 0
        (message,) = wait_until(lambda: alerts(world, "CommandAlertMessage", mark), message="the message")
        assert message["subject"].endswith("was refused")
        assert f"{mark} &lt;now" in message["message"]
        assert '<a href="http' in message["message"]
        assert "/ui/terminal/sessions/" in message["message"]
    finally:
        world.admin.delete(f"{FILTERS}{made['id']}/")
