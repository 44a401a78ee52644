"""Prints the agent protocol's table of verbs: as a JSON schema, and on its page.

`python -m tools.adapter_protocol_pages` writes both.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gridproof_implementation.live import answers
from gridproof_implementation.live.said import COUNT, REQUIRED, TEXT, Field, Fields, object_schema

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "implementation" / "gridproof_implementation" / "live" / "adapter_protocol.schema.json"
PAGE = ROOT / "docs" / "adapter-protocol.md"
BEGIN = "<!-- the verbs, printed from live/answers.py: begin -->\n"
END = "<!-- the verbs, printed from live/answers.py: end -->\n"


def schema() -> dict[str, Any]:
    """Return the protocol as a JSON schema: a definition a question, and one an answer."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"The agent protocol of gridproof, version {answers.PROTOCOL}",
        "description": "JSON lines between the fleet and one agent a member; docs/adapter-protocol.md says what they "
        "mean, and live/answers.py is the table that this is printed from.",
        "$defs": {
            "questions": {
                verb.name: object_schema(verb.asks, id=COUNT.schema, do={"const": verb.name}) for verb in answers.VERBS
            },
            "answers": {
                "hello": _answer(answers.HELLO, {"const": 0}),
                **{verb.name: _answer(verb, {"type": "integer"}) for verb in answers.VERBS},
            },
            "not_offered": object_schema({}, id={"type": "integer"}, not_offered={"const": True}),
            "failed": object_schema({"error": TEXT}, id={"type": "integer"}),
        },
    }


def _answer(verb: answers.Verb[Any], number: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an answer: of its form, with the number of its question."""
    form = verb.answer.schema
    if "anyOf" in form:
        return {"anyOf": [_numbered(one, number) for one in form["anyOf"]]}
    return _numbered(form, number)


def _numbered(form: Any, number: dict[str, Any]) -> dict[str, Any]:
    return {**form, "required": ["id", *form["required"]], "properties": {"id": number, **form["properties"]}}


def with_table(page: str) -> str:
    """Return the page with its table of verbs as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, behind = rest.partition(END)
    return "".join((before, BEGIN, *_rows(), END, behind))


def _rows() -> Iterator[str]:
    yield "\n| verb | needed | asks | answers |\n|---|---|---|---|\n"
    for verb in answers.VERBS:
        form = verb.answer.schema
        shown = form["anyOf"][0] if "anyOf" in form else form
        answered = [name if name in shown["required"] else f"{name}?" for name in shown["properties"]]
        needed = "yes" if verb.is_needed else "–"
        yield f"| `{verb.name}` | {needed} | {_code(_names(verb.asks))} | {_code(answered)} |\n"
    yield "\n"


def _names(fields: Fields) -> list[str]:
    return [f"{n}?" if isinstance(f, Field) and f.default is not REQUIRED else n for n, f in fields.items()]


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"


def main() -> None:
    """Write schema and page anew."""
    SCHEMA.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
