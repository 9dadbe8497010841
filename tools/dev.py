"""`make dev`: the server restarts when its code changes, and the browser updates the console immediately."""

import subprocess
import sys

from steps import BIN, ROOT


def main() -> int:
    console = subprocess.Popen(["npm", "run", "--silent", "dev"], cwd=ROOT / "console")
    try:
        return subprocess.call([str(BIN / "postern"), "up", "--reload"], cwd=ROOT)
    except KeyboardInterrupt:
        return 0
    finally:
        console.terminate()
        console.wait()


if __name__ == "__main__":
    sys.exit(main())
