"""Real `ssh`, called as a person calls it."""

import asyncio
import os
from pathlib import Path

from peers.ssh_proxy import Ran, World


async def ssh_answering(world: World, tmp_path: Path, answers: list[str], *options: str, login: str = "") -> Ran:
    """Run real `ssh` with a program as SSH_ASKPASS that gives each answer once, then nothing."""
    left = tmp_path / "answers"
    left.write_text("".join(f"{answer}\n" for answer in answers))
    asked = tmp_path / "asked"
    asked.unlink(missing_ok=True)
    program = tmp_path / "askpass"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$1" >> {asked}\nhead -n 1 {left}\nsed -i 1d {left}\n', encoding="utf-8"
    )
    program.chmod(0o700)
    argv = [
        word.replace("BatchMode=yes", "BatchMode=no").replace("LogLevel=ERROR", "LogLevel=INFO")
        for word in world.proxy.ssh(login or world.login, "echo in", options=options)
    ]
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={
            "PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8",
            "SSH_ASKPASS": str(program), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": ":none",
        },
    )  # fmt: skip
    async with asyncio.timeout(200):
        out, err = await process.communicate()
    prompts = asked.read_bytes() if asked.exists() else b""
    return Ran(process.returncode, out, err + prompts)
