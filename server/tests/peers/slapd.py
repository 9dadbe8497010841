"""A real OpenLDAP server for tests and benchmarks, in a folder of its own."""

import shutil
import subprocess
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from peers.certificates import Certificate
from peers.ports import free_port

ROOT_DN: Final = "cn=reader,dc=example,dc=com"
#: Every person's password is `of <username>`.
ROOT_PASSWORD: Final = " lesende Stelle é "
BASE: Final = "dc=example,dc=com"
STAFF: Final = f"ou=staff,{BASE}"
PARTNERS: Final = f"ou=partners,{BASE}"


@dataclass(frozen=True)
class Someone:
    """A person of the directory. `name`: their surname; `base`: where their entry stands."""

    username: str
    name: str = ""
    mail: str | None = None
    base: str = STAFF

    @property
    def dn(self) -> str:
        escaped = "".join(f"\\{char}" if char in '+,"\\<>;=#' else char for char in self.username)
        return f"uid={escaped},{self.base}"

    @property
    def password(self) -> str:
        return f"of {self.username}"


@dataclass
class Slapd:
    """A running server. `tls_port`: 0 without a certificate."""

    folder: Path
    port: int
    tls_port: int
    process: "subprocess.Popen[bytes]"
    added: list[str] = field(default_factory=list)

    @property
    def uri(self) -> str:
        return f"ldap://127.0.0.1:{self.port}"

    @property
    def tls_uri(self) -> str:
        return f"ldaps://127.0.0.1:{self.tls_port}"

    def add(self, *people: Someone) -> None:
        """Add people, with the server running."""
        self._change("\n".join(f"{_entry(one)}" for one in people), "ldapadd")

    def delete(self, *people: Someone) -> None:
        for one in people:
            self._change(f"dn: {one.dn}\nchangetype: delete\n", "ldapmodify")

    def replace(self, one: Someone, attribute: str, value: str) -> None:
        self._change(f"dn: {one.dn}\nchangetype: modify\nreplace: {attribute}\n{_line(attribute, value)}", "ldapmodify")

    def rename(self, one: Someone, username: str) -> None:
        """Change the login name; the entry's UUID stays."""
        self._change(f"dn: {one.dn}\nchangetype: modrdn\nnewrdn: uid={username}\ndeleteoldrdn: 1\n", "ldapmodify")

    def add_group(self, name: str, members: Sequence[Someone]) -> str:
        dn = f"cn={name},{BASE}"
        lines = "".join(f"member: {one.dn}\n" for one in members)
        self._change(f"dn: {dn}\nobjectClass: groupOfNames\ncn: {name}\n{lines}", "ldapadd")
        return dn

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)

    def _change(self, ldif: str, command: str) -> None:
        subprocess.run(
            [command, "-x", "-H", self.uri, "-D", ROOT_DN, "-w", ROOT_PASSWORD],
            input=ldif.encode(),
            check=True,
            capture_output=True,
        )


@contextmanager
def serving(
    people: Sequence[Someone] = (), *, certificate: Certificate | None = None, size_limit: int = 500, port: int = 0
) -> Iterator[Slapd]:
    """Serve these people on ports of 127.0.0.1. `size_limit`: entries of a search without pages."""
    folder = Path(mkdtemp(prefix="slapd-"))
    made = Slapd(folder, port or free_port(), free_port() if certificate else 0, _nothing())
    try:
        _configure(folder, certificate, size_limit)
        _load(folder, people)
        made.process = _start(made)
        yield made
    finally:
        if made.process.poll() is None:
            made.stop()
        shutil.rmtree(folder)


def _nothing() -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(["true"])
    process.wait()
    return process


def _configure(folder: Path, certificate: Certificate | None, size_limit: int) -> None:
    (folder / "data").mkdir()
    tls = ""
    if certificate is not None:
        tls = f"TLSCertificateFile {certificate.chain}\nTLSCertificateKeyFile {certificate.chain}\n"
    (folder / "slapd.conf").write_text(
        "include /etc/ldap/schema/core.schema\n"
        "include /etc/ldap/schema/cosine.schema\n"
        "include /etc/ldap/schema/inetorgperson.schema\n"
        "modulepath /usr/lib/ldap\n"
        "moduleload back_mdb\n"
        f"{tls}"
        f"pidfile {folder}/pid\n"
        f"sizelimit size.soft={size_limit} size.hard={size_limit} size.prtotal=unlimited\n"
        "database mdb\n"
        "maxsize 1073741824\n"
        f'suffix "{BASE}"\n'
        f'rootdn "{ROOT_DN}"\n'
        f'rootpw "{ROOT_PASSWORD}"\n'
        f'limits dn.exact="{ROOT_DN}" size.soft={size_limit} size.hard={size_limit} size.prtotal=unlimited\n'
        f"directory {folder}/data\n"
        "dbnosync\n"
        "index objectClass,uid,entryUUID eq\n",
        encoding="utf-8",
    )


def _load(folder: Path, people: Sequence[Someone]) -> None:
    units = [f"dn: {BASE}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example\n"]
    units += [f"dn: {dn}\nobjectClass: organizationalUnit\nou: {dn.split(',')[0][3:]}\n" for dn in (STAFF, PARTNERS)]
    (folder / "data.ldif").write_text("\n".join([*units, *map(_entry, people)]), encoding="utf-8")
    subprocess.run(
        ["/usr/sbin/slapadd", "-q", "-f", folder / "slapd.conf", "-l", folder / "data.ldif"],
        check=True,
        capture_output=True,
    )


def _entry(one: Someone) -> str:
    mail = f"{one.username}@example.com" if one.mail is None else one.mail
    values = {
        "dn": one.dn,
        "objectClass": "inetOrgPerson",
        "uid": one.username,
        "cn": one.username,
        "sn": one.name or one.username.title(),
        "userPassword": one.password,
        "mail": mail,
    }
    return "".join(_line(name, value) for name, value in values.items() if value)


def _line(name: str, value: str) -> str:
    """A line of LDIF, in base64 so that any character may stand in it."""
    return f"{name}:: {b64encode(value.encode()).decode()}\n"


def _start(server: Slapd) -> "subprocess.Popen[bytes]":
    urls = server.uri if not server.tls_port else f"{server.uri} {server.tls_uri}"
    with (server.folder / "log").open("ab") as log:
        # `-d 0` keeps it in the foreground.
        process = subprocess.Popen(
            ["/usr/sbin/slapd", "-d", "0", "-h", urls, "-f", str(server.folder / "slapd.conf")],
            stdout=log,
            stderr=log,
        )
    for _try in range(100):
        asked = subprocess.run(
            ["ldapsearch", "-x", "-H", server.uri, "-s", "base", "-b", "", "+"], capture_output=True, check=False
        )
        if asked.returncode == 0:
            return process
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError((server.folder / "log").read_text(errors="replace"))
