"""Jobs on many hosts, on a running product and one sshd on many loopback addresses.

    python bench/jobs.py [--quick]

1. The connectivity of 100 hosts, beside `ansible -m ping` with as many connections at once. Goals: 8 times as quick, a
   tenth of the CPU.
2. A batch command on 500 hosts, 50 at once. Goals: the first host within 1 s, all within 25 s, worker below 200 MB.
3. 1,000 accepted commands (`--quick`: 100) while Redis is emptied twice and the worker killed ten times. Goals: all reach
   a final state, none runs twice.
4. The CPU of the idle worker. Goal: below 2 % of a core.

The hosts are processes of the same machine, so times depend on its load, which is printed. Missed goals are marked.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import psutil
import redis

HERE: Final = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "server" / "tests")]

from product import Api, Product, wait_until  # noqa: E402 - sys.path is extended above
from world import TargetHost  # noqa: E402 - sys.path is extended above

from peers.ports import free_port  # noqa: E402 - sys.path is extended above

ASSETS, TESTED, AT_ONCE = 500, 100, 50
QUICKER, CPU_SHARE = 8.0, 0.1
FIRST_S, ALL_S, WORKER_MB = 1.0, 25.0, 200.0
JOBS, KILLS, FLUSHES = 1_000, 10, 2
#: A person may have a hundred open commands, of which two run at the same time.
PEOPLE, PASSWORD = 12, "gate-Keeper-of-the-wall-8"
IDLE_S, IDLE_SHARE = 20.0, 0.02
_BATCH: Final = 100


def show(what: str, value: str, *, is_met: bool | None = None) -> None:
    print(f"{what:<52}{value}{'' if is_met is None or is_met else '   <- goal missed'}", flush=True)


class ManyHosts(TargetHost):
    """The sshd of the tests, on all addresses of the loopback network."""

    def start(self) -> "ManyHosts":
        super().start()
        config = self.directory / "sshd_config"
        self.stop()
        config.write_text(
            config.read_text()
            .replace("ListenAddress 127.0.0.1:", "ListenAddress 0.0.0.0:")
            .replace("LogLevel VERBOSE", "LogLevel ERROR")
        )
        self._process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-f", str(config), "-E", str(self.directory / "log")], stdin=subprocess.DEVNULL
        )
        return self


def address(number: int) -> str:
    return f"127.1.{number // 200}.{number % 200 + 1}"


def fill(admin: Api, host: ManyHosts) -> tuple[list[str], str]:
    """The hosts, with an account that signs in on them; ids of the assets and of the system user."""
    account = {"username": host.login, "private_key": host.client_key.read_text()}
    admin_user = admin.post("/api/v1/assets/admin-users/", {"name": "bench admin", **account})["id"]
    run_as = admin.post(
        "/api/v1/assets/system-users/", {"name": "bench", "protocol": "ssh", "login_mode": "auto", **account}
    )["id"]
    assets: list[str] = []
    for start in range(0, ASSETS, _BATCH):
        bodies = [
            {
                "hostname": f"bench-{number:03}",
                "ip": address(number),
                "platform": "Linux",
                "protocols": [f"ssh/{host.port}"],
                "admin_user": admin_user,
            }
            for number in range(start, start + _BATCH)
        ]
        assets += [row["id"] for row in admin.post("/api/v1/assets/assets/", bodies)]
    me = admin.get("/api/v1/users/profile/")["id"]
    permission = {"name": "bench", "users": [me], "assets": assets, "system_users": [run_as]}
    admin.post("/api/v1/perms/asset-permissions/", permission)
    return assets, run_as


def cpu_of(processes: Iterable[psutil.Process]) -> float:
    used = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        used += times.user + times.system
    return used


def workers(product: Product) -> list[psutil.Process]:
    """The worker and its runner."""
    worker = product.part("worker")
    return [worker, *worker.children(recursive=True)]


def job_state(admin: Api, job: str) -> str:
    return str(admin.get(f"/api/v1/ops/celery/task/{job}/result/")["state"])


def connectivity(product: Product, admin: Api, assets: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one test of the first hosts. The runner is started by it."""
    before = cpu_of(workers(product))
    begun = time.monotonic()
    job = admin.post("/api/v1/assets/assets/tasks/", {"action": "test", "assets": assets[:TESTED]})["task"]
    wait_until(lambda: job_state(admin, job) not in {"waiting", "running"}, 120, 0.02, "the end of the test")
    wall = time.monotonic() - begun
    state = job_state(admin, job)
    if state != "succeeded":
        raise SystemExit(f"the test of the hosts {state}")
    return wall, cpu_of(workers(product)) - before


def ansible(folder: Path, host: ManyHosts) -> tuple[float, float]:
    """Wall and CPU seconds of `ansible -m ping` on the same hosts, without those of the modules on the hosts."""
    inventory = folder / "inventory"
    inventory.write_text("".join(f"{address(number)}\n" for number in range(TESTED)))
    environ = {
        **os.environ,
        "ANSIBLE_HOST_KEY_CHECKING": "False",
        "ANSIBLE_LOCAL_TEMP": str(folder),
        "ANSIBLE_REMOTE_TMP": str(folder / "ansible"),
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "json",
    }
    command = [
        str(Path(sys.executable).parent / "ansible"), "all", "-i", str(inventory), "-m", "ping", "-f", str(AT_ONCE),
        "-u", host.login, "--private-key", str(host.client_key), "-e", f"ansible_port={host.port}", "-o",
    ]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    run = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    reached = run.stdout.count("SUCCESS")
    if reached != TESTED:
        raise SystemExit(f"ansible reached {reached} hosts: {run.stdout[:500]} {run.stderr[:500]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_command(admin: Api, assets: list[str], run_as: str, command: str) -> str:
    body = {"command": command, "hosts": assets, "run_as": run_as}
    return str(admin.post("/api/v1/ops/command-executions/", body)["id"])


def command(admin: Api, key: str) -> Any:
    return admin.get(f"/api/v1/ops/command-executions/{key}/")


def batch(product: Product, admin: Api, assets: list[str], run_as: str) -> None:
    before = cpu_of(workers(product))
    begun = time.monotonic()
    key = run_command(admin, assets, run_as, "uname -r")
    first = most_mb = 0.0
    while True:
        row = command(admin, key)
        now = time.monotonic() - begun
        if row["done"] and not first:
            first = now
        most_mb = max(most_mb, product.part("worker").memory_info().rss / 1e6)
        if row["is_finished"]:
            break
        time.sleep(0.05)
    cpu = cpu_of(workers(product)) - before
    show(f"batch command on {len(assets)} hosts: first host shown", f"{first:.2f} s", is_met=first <= FIRST_S)
    show("all hosts", f"{now:.1f} s (failed: {row['failed']})", is_met=now <= ALL_S and not row["failed"])
    show("CPU of worker and runner for each host", f"{cpu / len(assets) * 1000:.1f} ms")
    runner_mb = sum(one.memory_info().rss / 1e6 for one in workers(product)[1:])
    show("memory of the worker; of the runner", f"{most_mb:.0f} MB; {runner_mb:.0f} MB", is_met=most_mb < WORKER_MB)


def people(product: Product, admin: Api, assets: list[str], run_as: str) -> list[Api]:
    """Users who may run commands on all hosts."""
    ids: list[str] = []
    for number in range(PEOPLE):
        name = f"runner{number}"
        body = {"username": name, "name": name, "email": f"{name}@example.test", "password_strategy": "custom"}
        ids.append(admin.post("/api/v1/users/users/", {**body, "password": PASSWORD})["id"])
    permission = {"name": "bench of people", "users": ids, "assets": assets, "system_users": [run_as]}
    admin.post("/api/v1/perms/asset-permissions/", permission)
    made = [product.api(f"runner{number}", PASSWORD) for number in range(PEOPLE)]
    for person in made:
        person.patch("/api/v1/users/profile/", {"is_first_login": False})
    return made


def kills(product: Product, admin: Api, assets: list[str], run_as: str, *, jobs: int, folder: Path) -> None:
    """Each command adds a line with its number to a file of the host."""
    runners = people(product, admin, assets, run_as)
    ran = folder / "ran"
    ran.touch()
    keys: list[str] = []
    broker = redis.Redis(unix_socket_path=str(product.home / "run" / "redis.sock"))
    begun, killed, flushed = time.monotonic(), 0, 0
    for number in range(jobs):
        runner = runners[number % PEOPLE]
        keys.append(run_command(runner, [assets[number % ASSETS]], run_as, f"echo {number} >> {ran}"))
        if number % (jobs // KILLS) == jobs // KILLS // 2:
            product.kill_part("worker")
            killed += 1
        if number % (jobs // FLUSHES) == jobs // FLUSHES // 3:
            broker.flushall()
            flushed += 1
            admin.sign_in("admin", "gate-Keeper-of-the-wall-7")
            for at, one in enumerate(runners):
                one.sign_in(f"runner{at}", PASSWORD)
    owners = {key: runners[number % PEOPLE] for number, key in enumerate(keys)}
    open_keys = set(keys)
    while open_keys and time.monotonic() - begun < 900:
        open_keys = {key for key in open_keys if not command(owners[key], key)["is_finished"]}
        time.sleep(0.5)
    lines = Counter(ran.read_text().split())
    states = Counter(str(command(owners[key], key)["state"]) for key in keys)
    twice = sum(count > 1 for count in lines.values())
    show(
        f"{jobs} commands, Redis emptied {flushed} times",
        f"worker killed {killed} times, {time.monotonic() - begun:.0f} s",
    )
    show("final", f"{jobs - len(open_keys)} ({dict(states)})", is_met=not open_keys)
    show("ran on the host; twice", f"{len(lines)}; {twice}", is_met=not twice)


def idle(product: Product) -> None:
    processes = workers(product)
    before = cpu_of(processes)
    time.sleep(IDLE_S)
    share = (cpu_of(processes) - before) / IDLE_S
    show("CPU of the idle worker, with schedule", f"{share * 100:.2f} % of a core", is_met=share < IDLE_SHARE)


def main(arguments: list[str]) -> int:
    jobs = JOBS // 10 if "--quick" in arguments else JOBS
    print(f"load {json.dumps(os.getloadavg())} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="postern-bench-") as temporary:
        folder = Path(temporary)
        environ = {"POSTERN_ALLOW_LOCAL_TARGETS": "yes", "POSTERN_LOG_LEVEL": "ERROR"}
        with ManyHosts(folder / "sshd", free_port()) as host, Product(folder / "home", **environ) as product:
            admin = product.api()
            admin.patch("/api/v1/users/profile/", {"is_first_login": False})
            assets, run_as = fill(admin, host)
            idle(product)
            ours = connectivity(product, admin, assets)
            theirs = ansible(folder, host)
            show(f"connectivity of {TESTED} hosts", f"{ours[0]:.1f} s, CPU {ours[1]:.2f} s")
            show(f"ansible -m ping, {AT_ONCE} at once", f"{theirs[0]:.1f} s, CPU {theirs[1]:.2f} s")
            quicker, share = theirs[0] / ours[0], ours[1] / theirs[1]
            show("quicker; share of the CPU", f"{quicker:.1f} times", is_met=quicker >= QUICKER)
            show("share of the CPU", f"{share:.3f}", is_met=share <= CPU_SHARE)
            batch(product, admin, assets, run_as)
            kills(product, admin, assets, run_as, jobs=jobs, folder=folder)
    print(f"load {json.dumps(os.getloadavg())}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
