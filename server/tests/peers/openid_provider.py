"""npm `oidc-provider` in a Node process: a real provider of OpenID Connect."""

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from peers.ports import free_port

_FOLDER: Final = Path(__file__).parents[3] / "tools" / "openid_provider"
CLIENT_ID: Final = "postern"
SECRET: Final = "a-secret-of-the-client-of-32-chars"


@dataclass(frozen=True)
class OpenidProviderPeer:
    """A running provider. Whoever types a name into its sign-in page has signed in, if they are one of its people."""

    issuer: str
    log: Path

    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")


@contextmanager
def running_provider(
    folder: Path, *, console: str, slug: str, people: Mapping[str, Mapping[str, Any]], host: str = "127.0.0.1"
) -> Iterator[OpenidProviderPeer]:
    """Run the provider until the block ends. `console`: the address of Postern. `host`: as the browser names it."""
    _install()
    port = free_port()
    own = f"{console}/core/auth/openid/{slug}"
    issuer = f"http://{host}:{port}"
    settings = {
        "port": port,
        "issuer": issuer,
        "people": people,
        "client": {
            "client_id": CLIENT_ID,
            "client_secret": SECRET,
            "redirect_uris": [f"{own}/callback/", f"{console}/core/auth/openid/callback/"],
            "post_logout_redirect_uris": [f"{console}/core/auth/login/"],
            "backchannel_logout_uri": f"{own}/back-channel-logout/",
            "backchannel_logout_session_required": True,
        },
    }
    log = folder / f"openid-provider-{port}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["node", str(_FOLDER / "provider.js")],
            env={**os.environ, "PROVIDER_SETTINGS": json.dumps(settings)},
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == str(port), log.read_text(encoding="utf-8")
            yield OpenidProviderPeer(issuer, log)
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _install() -> None:
    with (_FOLDER / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may arrive here at the same time
        if not (_FOLDER / "node_modules" / "oidc-provider").is_dir():
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=_FOLDER, check=True, capture_output=True)
