"""Which places on the host may be forwarded: the judgement alone, without a connection."""

# ruff: noqa: S108 - paths of a host

import pytest

from postern.contracts.access import Target
from postern.proxies.ssh.forwards.places import Asked, NotPermitted, Place, place_of
from postern.proxies.ssh.forwards.texts import ForwardText

TARGET = Target(host="Web1.example.com", port=2200)


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST", "127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "web1.EXAMPLE.com"],
)
def test_forms_of_the_host_itself_become_one_address(host: str) -> None:
    assert place_of(Asked(host=host, port=8080), TARGET) == Place(port=8080)


@pytest.mark.parametrize(
    "host",
    [
        "", "*", "0.0.0.0", "::", "10.1.1.1", "web2.example.com", "web1.example.com.", "localhost.", "localhost.evil.org",
        "127.1", "2130706433", "0x7f000001", "017700000001", "127.0.0.1.", " 127.0.0.1", "127.0.0.01", "::ffff:127.0.0.1",
        "::127.0.0.1", "[::1]", "fe80::1%lo", "::1%lo", "128.0.0.1", "ｌocalhost", "１２７.0.0.1", "localhost\0",
    ],
)  # fmt: skip
def test_other_hosts_are_refused(host: str) -> None:
    with pytest.raises(NotPermitted) as refused:
        place_of(Asked(host=host, port=8080), TARGET)
    assert refused.value.say("en") == ForwardText.OTHER_HOST.say("en", host=TARGET.host)
    assert TARGET.host in refused.value.say("zh-hans")


@pytest.mark.parametrize(
    ("port", "text"),
    [
        (0, "There is no port 0"),
        (1, "Ports below 1024"),
        (22, "Ports below 1024"),
        (1023, "Ports below 1024"),
        (65536, "There is no port 65536"),
        (2**32 - 1, "There is no port"),
        (2200, "SSH port"),
    ],
)
def test_ports_that_may_not_be_reached_are_refused(port: int, text: str) -> None:
    with pytest.raises(NotPermitted) as refused:
        place_of(Asked(host="localhost", port=port), TARGET)
    assert text in refused.value.say("en")


@pytest.mark.parametrize("port", [1024, 2201, 65535])
def test_other_ports_are_reached(port: int) -> None:
    assert place_of(Asked(host="::1", port=port), TARGET).port == port


@pytest.mark.parametrize(
    "path",
    [
        "/tmp/app.sock", "/home/li/run/x", "/srv/agents/list.sock", "/var/lib/mysql/mysql.sock", "/home/li/.vscode/x.sock",
        "/running/x", "/home/run/x", "/private/x", "/var/lib/lxdx/x", "/tmp/名", "/" + "x" * 106,
    ],
)  # fmt: skip
def test_sockets_of_programs_are_reached(path: str) -> None:
    assert place_of(Asked(path=path), TARGET) == Place(path=path)


@pytest.mark.parametrize(
    "path",
    [
        "", "x", "./x", "~/x", "@abstract", "\0abstract", "//run/x", "/tmp//x", "/tmp/./x", "/tmp/../run/docker.sock", "/..",
        "/tmp/", "/", "/tmp/x\0/y", "/" + "x" * 107, "/" + "名" * 36,
    ],
)  # fmt: skip
def test_paths_that_are_not_plain_are_refused(path: str) -> None:
    with pytest.raises(NotPermitted) as refused:
        place_of(Asked(path=path), TARGET)
    assert "must be absolute" in refused.value.say("en")


@pytest.mark.parametrize(
    "path",
    [
        "/run/docker.sock", "/run/user/1000/x", "/var/run/docker.sock", "/proc/1/root/run/docker.sock", "/sys/x", "/dev/log",
        "/home/li/.docker/run/docker.sock", "/srv/containerd.sock", "/srv/podman/podman.sock", "/srv/crio/crio.sock",
        "/srv/docker.raw.sock", "/tmp/.X11-unix/X0", "/tmp/.ICE-unix/1", "/tmp/ssh-XYZ/agent.123", "/tmp/agent.9",
        "/home/li/.ssh/agent/s.abc", "/home/li/.gnupg/S.gpg-agent", "/srv/S.gpg-agent.ssh", "/home/li/keyring-a/ssh",
        "/home/li/ssh-agent.sock", "/home/li/ssh_auth_sock", "/var/lib/lxd/unix.socket", "/var/lib/incus/unix.socket",
        "/var/snap/lxd/common/lxd/unix.socket", "/var/lib/kubelet/pod-resources/kubelet.sock", "/tmp/dbus-AbC",
        "/private/var/run/x", "/Var/Run/x", "/private/tmp/com.apple.launchd.aB/Listeners",
    ],
)  # fmt: skip
def test_sockets_of_the_system_and_of_agents_are_refused(path: str) -> None:
    with pytest.raises(NotPermitted) as refused:
        place_of(Asked(path=path), TARGET)
    assert "Sockets of system services" in refused.value.say("en")


def test_what_was_asked_is_shown_on_one_line() -> None:
    assert str(Asked(host="a\nb\u202e", port=1)) == r"a\x0ab\u202e:1"
    assert str(Asked(host="::1", port=80)) == "[::1]:80"
    assert len(str(Asked(path="/" + "x" * 1000))) == 300
