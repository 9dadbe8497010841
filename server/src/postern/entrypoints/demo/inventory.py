"""The machines of the demo: their nodes, labels and hardware."""

from collections.abc import Mapping
from typing import Final

from postern.entrypoints.demo.api import Api

#: Node path → assets in it: name, address (from the ranges for documentation), platform, protocols, comment.
TREE: Final[dict[str, tuple[tuple[str, str, str, str, str], ...]]] = {
    "生产环境/Web": (
        ("web-01", "192.0.2.11", "Linux", "ssh/22", "nginx"),
        ("web-02", "192.0.2.12", "Linux", "ssh/22", "nginx"),
        ("web-03", "192.0.2.13", "Linux", "ssh/22", "nginx，灰度发布"),
        ("gateway-01", "192.0.2.2", "BSD", "ssh/22", "出口网关"),
    ),
    "生产环境/数据库": (
        ("db-01", "192.0.2.31", "Linux", "ssh/22", "PostgreSQL 主库"),
        ("db-02", "192.0.2.32", "Linux", "ssh/22", "PostgreSQL 备库"),
        ("cache-01", "192.0.2.41", "Linux", "ssh/22", "Redis"),
        ("erp-01", "192.0.2.45", "Unix", "ssh/22 telnet/23", "ERP，只在月末结账时重启"),
    ),
    "生产环境/容器平台": (
        ("k8s-master-01", "192.0.2.61", "Linux", "ssh/22", "控制平面"),
        ("k8s-node-01", "192.0.2.62", "Linux", "ssh/22", ""),
        ("k8s-node-02", "192.0.2.63", "Linux", "ssh/22", ""),
    ),
    "测试环境": (
        ("test-01", "198.51.100.21", "Linux", "ssh/22", ""),
        ("test-02", "198.51.100.22", "Linux", "ssh/2222", ""),
        ("build-01", "198.51.100.30", "Linux", "ssh/22", "CI"),
        ("mac-build-01", "198.51.100.31", "MacOS", "ssh/22 vnc/5900", "iOS 构建"),
        ("win-test-01", "198.51.100.51", "Windows", "rdp/3389", ""),
    ),
    "办公网 Office": (
        ("files-01", "203.0.113.10", "Linux", "ssh/22", "文件服务器"),
        ("win-finance-01", "203.0.113.15", "Windows2016", "rdp/3389", "财务部共用"),
        ("printer-gw", "203.0.113.20", "Other", "telnet/23", "待下线"),
    ),
}

#: Label → assets that have it. Values are unique, because `ensure` finds a label by its value.
_LABELS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("环境", "生产"): (
        *("web-01", "web-02", "web-03", "gateway-01", "db-01", "db-02", "cache-01", "erp-01"),
        *("k8s-master-01", "k8s-node-01", "k8s-node-02"),
    ),
    ("环境", "测试"): ("test-01", "test-02", "build-01", "mac-build-01", "win-test-01"),
    ("等级", "核心"): ("gateway-01", "db-01", "erp-01", "k8s-master-01"),
    ("业务", "订单"): ("web-01", "web-02", "db-01", "db-02", "cache-01"),
    ("部门", "财务"): ("erp-01", "win-finance-01"),
    ("组", "平台"): ("build-01", "mac-build-01", "k8s-master-01", "k8s-node-01", "k8s-node-02"),
}

_R760: Final = {"vendor": "Dell Inc.", "model": "PowerEdge R760", "cpu_model": "Intel Xeon Gold 6430"}
_SR650: Final = {"vendor": "Lenovo", "model": "ThinkSystem SR650", "cpu_model": "AMD EPYC 9354"}
_VIRTUAL: Final = {"vendor": "QEMU", "model": "Standard PC (Q35)", "cpu_model": "AMD EPYC 9354"}
_DEBIAN: Final = {"os": "Debian", "os_version": "12.8", "os_arch": "x86_64"}


def _machine(kind: Mapping[str, object], system: Mapping[str, object], cores: int, **more: object) -> dict[str, object]:
    """Hardware of a machine: by default one physical CPU and two threads per core; `more` overrides this."""
    return {**kind, **system, "cpu_count": 1, "cpu_cores": cores, "cpu_vcpus": cores * 2, **more}


#: Asset → hardware, for assets whose hardware is documented.
_HARDWARE: Final[dict[str, dict[str, object]]] = {
    "web-01": _machine(_VIRTUAL, _DEBIAN, 8, memory="16 GB", disk_total="200 GB"),
    "web-02": _machine(_VIRTUAL, _DEBIAN, 8, memory="16 GB", disk_total="200 GB"),
    "web-03": _machine(_VIRTUAL, _DEBIAN, 8, memory="16 GB", disk_total="200 GB"),
    "gateway-01": {
        **_machine(_SR650, {"os": "FreeBSD", "os_version": "14.1", "os_arch": "amd64"}, 16),
        "memory": "32 GB",
        "disk_total": "480 GB",
        "sn": "J30A1B2C",
        "number": "HQ-N-0002",
    },
    "db-01": {
        **_machine(_R760, _DEBIAN, 32, cpu_count=2, cpu_vcpus=128),
        "memory": "512 GB",
        "disk_total": "15.4 TB",
        "disk_info": "nvme0n1 7.7 TB, nvme1n1 7.7 TB",
        "sn": "7QK2N94",
        "number": "HQ-A-0418",
        "hostname_raw": "db-01.hq.example.com",
    },
    "db-02": {
        **_machine(_R760, _DEBIAN, 32, cpu_count=2, cpu_vcpus=128),
        "memory": "512 GB",
        "disk_total": "15.4 TB",
        "disk_info": "nvme0n1 7.7 TB, nvme1n1 7.7 TB",
        "sn": "7QK2N95",
        "number": "HQ-A-0419",
    },
    "cache-01": _machine(_VIRTUAL, _DEBIAN, 16, memory="64 GB", disk_total="100 GB"),
    "erp-01": {
        "vendor": "IBM",
        "model": "Power S1022",
        "cpu_model": "POWER10",
        "os": "AIX",
        "os_version": "7.3",
        "cpu_count": 2,
        "cpu_cores": 16,
        "cpu_vcpus": 256,
        "memory": "1 TB",
        "disk_total": "8 TB",
        "sn": "78A1F20",
        "number": "HQ-A-0101",
    },
    "k8s-master-01": _machine(_SR650, _DEBIAN, 16, memory="64 GB", disk_total="500 GB", number="HQ-A-0501"),
    "k8s-node-01": _machine(_SR650, _DEBIAN, 32, memory="256 GB", disk_total="1 TB", number="HQ-A-0502"),
    "k8s-node-02": _machine(_SR650, _DEBIAN, 32, memory="256 GB", disk_total="1 TB", number="HQ-A-0503"),
    "build-01": _machine(_VIRTUAL, _DEBIAN, 16, memory="32 GB", disk_total="500 GB"),
    "mac-build-01": {
        "vendor": "Apple",
        "model": "Mac mini",
        "cpu_model": "M4 Pro",
        "os": "macOS",
        "os_version": "15.1",
        "os_arch": "arm64",
        "cpu_count": 1,
        "cpu_cores": 14,
        "memory": "48 GB",
        "disk_total": "1 TB",
    },
    "files-01": _machine(_SR650, _DEBIAN, 16, memory="128 GB", disk_total="96 TB", number="HQ-A-0210"),
}
#: Assets that exist for their records only: they are inactive.
_RETIRED: Final = ("printer-gw",)


def describe(admin: Api, assets: Mapping[str, str]) -> None:
    """Add labels and hardware to the assets (name → id). Existing labels stay."""
    for (name, value), carriers in _LABELS.items():
        label = {"name": name, "value": value, "assets": [assets[asset] for asset in carriers]}
        admin.ensure("assets/labels/", "value", label)
    for name, hardware in _HARDWARE.items():
        admin.call("PATCH", f"/api/v1/assets/assets/{assets[name]}/", hardware)
    for name in _RETIRED:
        admin.call("PATCH", f"/api/v1/assets/assets/{assets[name]}/", {"is_active": False})
