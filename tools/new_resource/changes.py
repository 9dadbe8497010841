"""Changes of files, gathered first and written together: a missing place leaves the repository unchanged."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from new_resource.request import BadRequest


class Changes:
    """New texts of files below `root`, by path."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self._before: dict[Path, bytes | None] = {}
        self._patterns: tuple[str, ...] = ()

    @property
    def paths(self) -> list[str]:
        return sorted(self._texts)

    def text(self, path: str) -> str:
        """The file as it will be. Raises BadRequest when there is none."""
        if path in self._texts:
            return self._texts[path]
        if not (self._root / path).exists():
            raise BadRequest(f"there is no {path}")
        return (self._root / path).read_text(encoding="utf-8")

    def create(self, path: str, text: str) -> None:
        if path in self._texts or (self._root / path).exists():
            raise BadRequest(f"{path} is there already")
        self._texts[path] = text

    def insert(self, path: str, text: str, *, before: str = "", after: str = "") -> None:
        """Insert `text` at the last match of a pattern."""
        whole = self.text(path)
        matches = list(re.finditer(before or after, whole, re.MULTILINE | re.DOTALL))
        if not matches:
            raise BadRequest(f"{path}: the place {before or after!r} is not found")
        place = matches[-1].start() if before else matches[-1].end()
        self._texts[path] = whole[:place] + text + whole[place:]

    def import_python(self, path: str, line: str) -> None:
        """Add an import before the first one; the formatter puts it into its place."""
        whole = self.text(path)
        match = re.search(r"^(?:from|import) ", whole, re.MULTILINE)
        if match is None:
            raise BadRequest(f"{path} imports nothing")
        self._texts[path] = f"{whole[: match.start()]}{line}\n{whole[match.start() :]}"

    def replace(self, path: str, pattern: str, replacement: str) -> None:
        """Replace the only match of a pattern."""
        text, times = re.subn(pattern, replacement, self.text(path), count=1, flags=re.MULTILINE | re.DOTALL)
        if not times:
            raise BadRequest(f"{path}: the place {pattern!r} is not found")
        self._texts[path] = text

    def add_texts(self, path: str, texts: dict[str, Any]) -> None:
        """Add keys to a JSON file of texts."""
        known = json.loads(self.text(path))
        twice = known.keys() & texts.keys()
        if twice:
            raise BadRequest(f"{path} has these keys already: {', '.join(sorted(twice))}")
        self._texts[path] = json.dumps({**known, **texts}, ensure_ascii=False, indent=2) + "\n"

    def write(self) -> None:
        for path, text in self._texts.items():
            (self._root / path).parent.mkdir(parents=True, exist_ok=True)
            (self._root / path).write_text(text, encoding="utf-8")

    def remember(self, *patterns: str) -> None:
        """Remember the files that match, and those that `write` changes, for `undo`."""
        self._patterns = patterns
        paths = {*self._matching(), *(self._root / path for path in self._texts)}
        self._before = {path: path.read_bytes() if path.exists() else None for path in paths}

    def undo(self) -> None:
        """Make all remembered files what they were; files and folders that have come since go."""
        for path in {*self._matching(), *self._before}:
            content = self._before.get(path)
            if content is not None:
                path.write_bytes(content)
            elif path.exists():
                path.unlink()
                self._remove_empty(path.parent)

    def _matching(self) -> list[Path]:
        return [path for pattern in self._patterns for path in self._root.glob(pattern)]

    def _remove_empty(self, folder: Path) -> None:
        """Remove a folder in which nothing is left but compiled modules."""
        if {path.name for path in folder.iterdir()} <= {"__pycache__"}:
            shutil.rmtree(folder)
