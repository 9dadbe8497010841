"""Values of a JSON schema, right ones and wrong ones, from a seed."""

import random
import string
from typing import Any

#: What a client may send in place of anything.
WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 2**63, 10**30, 1e308, "", "\x00", "\ud800", "\u202e", "x" * 5_000, [], [None], [[]], {}, {"a": {}},
    "9f6c0e2a-0000-4000-8000-000000000000", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T24:00:00Z",
)  # fmt: skip
_TEXTS = {
    "uuid": "9f6c0e2a-0000-4000-8000-000000000000",
    "date-time": "2027-01-02T03:04:05Z",
    "email": "ann@example.test",
    "uri": "https://example.test/",
}


class Values:
    """Generates values; the same seed gives the same ones."""

    def __init__(self, schemas: dict[str, Any], seed: int) -> None:
        self._schemas = schemas
        self._dice = random.Random(seed)

    def of(self, schema: dict[str, Any], *, wrong: float = 0.0, depth: int = 0) -> Any:
        """A value that the schema allows; each part is replaced by a wrong one with probability `wrong`."""
        if self._dice.random() < wrong:
            return self._dice.choice(WRONG)
        if "$ref" in schema:
            return self.of(self._schemas[schema["$ref"].rpartition("/")[2]], wrong=wrong, depth=depth)
        for name in ("oneOf", "anyOf"):
            if name in schema:
                return self.of(self._dice.choice(schema[name]), wrong=wrong, depth=depth)
        if "allOf" in schema:
            return self.of(schema["allOf"][0], wrong=wrong, depth=depth)
        if "enum" in schema:
            return self._dice.choice(schema["enum"])
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = self._dice.choice(kind)
        return self._of_kind(kind, schema, wrong, depth)

    def _of_kind(self, kind: str | None, schema: dict[str, Any], wrong: float, depth: int) -> Any:
        if kind == "object":
            wanted = schema.get("properties", {})
            required = set(schema.get("required", ()))
            chosen = [name for name in wanted if name in required or self._dice.random() < 0.5]
            return {name: self.of(wanted[name], wrong=wrong, depth=depth + 1) for name in chosen}
        if kind == "array":
            length = self._dice.randrange(0, 3) if depth < 4 else 0
            return [self.of(schema.get("items", {}), wrong=wrong, depth=depth + 1) for _ in range(length)]
        if kind == "string":
            return _TEXTS.get(schema.get("format", ""), self._text(schema))
        if kind in {"integer", "number"}:
            least = int(schema.get("minimum", 0))
            return self._dice.randint(least, int(min(schema.get("maximum", least + 50), least + 50)))
        if kind == "boolean":
            return self._dice.random() < 0.5
        return None if kind == "null" else self._dice.choice(("text", 1, None, True, [], {}))

    def _text(self, schema: dict[str, Any]) -> str:
        length = max(int(schema.get("minLength", 0)), min(int(schema.get("maxLength", 12)), 12))
        return "".join(self._dice.choice(string.ascii_lowercase) for _ in range(length))

    def pick(self, share: float) -> bool:
        """True with this probability."""
        return self._dice.random() < share
