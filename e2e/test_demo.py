"""`postern demo`: creates demo data, once per data folder."""

import json
import os
import re
import signal
import subprocess
from datetime import date
from pathlib import Path

import psutil
import pytest
from product import POSTERN, Api, free_port, wait_until

START_TIMEOUT_S = 400.0


class Demo:
    """`postern demo` on free ports."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.url = ""
        self.log = home.with_name("demo.log")

    def environ(self, **more: str) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
        return {
            **environment,
            "POSTERN_HOME": str(self.home),
            "POSTERN_HTTP": f"127.0.0.1:{free_port()}",
            "POSTERN_SSH": f"127.0.0.1:{free_port()}",
            # Names of a real installation, which the demo must not touch.
            "DATABASE_URL": "postgresql://nobody:nothing@127.0.0.1:1/real",
            "POSTERN_REDIS_URL": "redis://127.0.0.1:1/0",
            **more,
        }

    def run(self) -> str:
        """Start, wait for the banner, and leave it running. Returns its output."""
        environ = self.environ()
        self.url = f"http://{environ['POSTERN_HTTP']}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([str(POSTERN), "demo"], env=environ, stdout=log, stderr=subprocess.STDOUT)

        def told() -> bool:
            assert self.process.poll() is None, self.log.read_text()
            return "Ctrl-C stops everything" in self.log.read_text()

        wait_until(told, START_TIMEOUT_S, message="the banner")
        return self.log.read_text()

    def stop(self) -> None:
        if self.process.poll() is None:
            family = psutil.Process(self.process.pid).children(recursive=True)
            self.process.send_signal(signal.SIGINT)
            assert self.process.wait(120) == 0
            _, left = psutil.wait_procs(family, timeout=60)
            assert not left, [process.cmdline() for process in left]

    def admin(self) -> Api:
        passwords = json.loads((self.home / "demo" / "passwords.json").read_text())
        api = Api(self.url)
        api.sign_in("admin", passwords["admin"])
        return api


def rows(api: Api, path: str, **query: str) -> list[dict[str, object]]:
    parameters = "".join(f"&{name}={value}" for name, value in query.items())
    results: list[dict[str, object]] = api.get(f"/api/v1/{path}?limit=100&offset=0{parameters}")["results"]
    return results


@pytest.mark.spec("S1-045")
def test_demo_creates_its_data_once_and_keeps_a_session_live(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "home")
    output = demo.run()
    try:
        assert "could not be told" not in output
        assert "lin=ops=demo-host@127.0.0.1" in output, "the form of the login name that no tool takes apart"
        file = demo.home / "demo" / "passwords.json"
        assert file.stat().st_mode & 0o777 == 0o600
        for username, password in json.loads(file.read_text()).items():
            assert re.search(rf"{username}\s+{password}", output)
        admin = demo.admin()
        assert {row["username"] for row in rows(admin, "users/users/")} == {
            "admin",
            "lin",
            "wang",
            "maria",
            "tom",
            "zhao",
        }
        machines = {str(row["hostname"]): row for row in rows(admin, "assets/assets/")}
        assert len(machines) == 20
        assert machines["db-01"]["labels_display"] == ["业务:订单", "环境:生产", "等级:核心"]
        assert machines["db-01"]["hardware_info"] == "Dell Inc. 32 Core 512 GB"
        assert [name for name, row in machines.items() if not row["is_active"]] == ["printer-gw"]
        licence = admin.get("/api/v1/xpack/license/detail")
        assert licence["is_valid"] is True
        lasts = date.fromisoformat(licence["date_expired"]) - date.fromisoformat(licence["date_issued"])
        assert lasts.days == 365
        branch = next(row for row in rows(admin, "orgs/orgs/") if not row["is_default"])
        statistics = branch["resource_statistics"]
        assert (statistics["users_amount"], statistics["assets_amount"], statistics["asset_perms_amount"]) == (3, 4, 1)
        assert len(rows(admin, "assets/assets/", oid=str(branch["id"]))) == 4
        assert len(rows(admin, "notifications/site-message/")) == 2
        assert [row["name"] for row in rows(admin, "perms/asset-permissions/") if row["is_expired"]] == [
            "Tom → 测试环境（已到期）"
        ]
        finished = rows(admin, "terminal/sessions/", is_finished="1")
        shells = [row for row in finished if row["kind"] == "shell"]
        assert {row["recording_state"] for row in shells} == {"sealed"}
        assert sorted(str(row["end_reason"]) for row in shells) == ["target_closed", "target_closed", "terminated"]
        assert [row["kind"] for row in finished if row not in shells] == ["sftp"]
        lin = next(row for row in shells if "(lin)" in str(row["user"]))
        typed = [row["input"] for row in rows(admin, "terminal/commands/", session_id=str(lin["id"]))]
        assert "cat 值班表.txt" in typed
        assert "df -h . | tail -n 1" in typed
        assert admin.post(f"/api/v1/terminal/sessions/{lin['id']}/replay/verify/", {}, 200)["valid"] is True
        assert len(rows(admin, "audits/ftp-logs/")) == 2
        [batch] = rows(admin, "audits/command-execution-logs/")
        assert (batch["user_display"], batch["is_success"]) == ("Maria Keller(maria)", True)
        values = [change for event in rows(admin, "audits/events/") for change in event["changes"]]
        assert {change["field"] for change in values if change["label"] == change["field"]} == set()
        assert len(values) > 100
        live = wait_until(lambda: rows(admin, "terminal/sessions/", is_finished="0"), message="the live session")
        assert "(wang)" in live[0]["user"]
    finally:
        demo.stop()
    again = demo.run()
    try:
        assert "playing" not in again
        assert len([row for row in rows(demo.admin(), "terminal/sessions/") if "(lin)" in str(row["user"])]) == 2
    finally:
        demo.stop()


def refusal(environ: dict[str, str]) -> str:
    done = subprocess.run([str(POSTERN), "demo"], env=environ, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 78
    return done.stderr


def test_demo_on_the_folder_of_a_real_installation_is_refused(tmp_path: Path) -> None:
    demo = Demo(tmp_path)
    (tmp_path / "postern.sqlite3").touch()
    assert "not a demo" in refusal(demo.environ())
    assert [path.name for path in tmp_path.iterdir()] == ["postern.sqlite3"]


@pytest.mark.parametrize("name", ["POSTERN_HTTP", "POSTERN_SSH"])
def test_demo_on_an_address_reachable_by_others_is_refused(tmp_path: Path, name: str) -> None:
    demo = Demo(tmp_path / "home")
    assert "loopback addresses only" in refusal(demo.environ(**{name: "0.0.0.0:8099"}))
    assert not demo.home.exists()
