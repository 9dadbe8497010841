"""Terminal emulation of plain, coloured, full-screen and Chinese output in MB/s, and the cost of a keyframe."""

import random
import time

from postern.contracts.vt import Screen

GOAL_PLAIN_MB_S = 5.0
CHUNK_BYTES = 4096
WORDS = ("alpha", "beta", "gamma", "/usr/bin", "0x3fa", "error", "done")


def corpora(source: random.Random) -> dict[str, bytes]:
    def words(count: int) -> str:
        return " ".join(source.choices(WORDS, k=count))

    def moved() -> str:
        return f"\x1b[{source.randint(1, 24)};{source.randint(1, 60)}H\x1b[K{words(4)}"

    def coloured() -> str:
        return f"\x1b[01;34m{words(1)}\x1b[0m  \x1b[32m{words(3)}\x1b[m \x1b[1;31mx\x1b[0m {words(6)}\r\n"

    def chinese() -> str:
        return "".join(chr(source.randint(0x4E00, 0x9000)) for _ in range(30)) + "\r\n"

    return {
        "plain": "".join(f"{words(source.randint(5, 14))}\r\n" for _ in range(20_000)).encode(),
        "coloured": "".join(coloured() for _ in range(15_000)).encode(),
        "full screen": "".join(moved() for _ in range(40_000)).encode(),
        "Chinese": "".join(chinese() for _ in range(15_000)).encode(),
    }


def main() -> None:
    for name, data in corpora(random.Random(1)).items():  # noqa: S311 - generated text, the same at each run
        screen = Screen(80, 24)
        start = time.perf_counter()
        for at in range(0, len(data), CHUNK_BYTES):
            screen.feed(data[at : at + CHUNK_BYTES])
        rate = len(data) / (time.perf_counter() - start) / 1e6
        start = time.perf_counter()
        keyframe = screen.snapshot()
        cost_ms = (time.perf_counter() - start) * 1000
        goal = f"   {rate / GOAL_PLAIN_MB_S:.2f} of the goal of {GOAL_PLAIN_MB_S:.0f} MB/s" if name == "plain" else ""
        print(f"{name:12} {rate:6.1f} MB/s   keyframe {len(keyframe):5} bytes in {cost_ms:4.2f} ms{goal}")


if __name__ == "__main__":
    main()
