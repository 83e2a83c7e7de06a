"""Makes the types of the page's scripts from what the program sends and takes: ``python -m tools.page_types``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from web.app import ROUTES
from web.views.command_routes import body_of

ROOT = Path(__file__).parents[1]
SOURCES = ("web/game/page_state.py", "web/history/analysis_view.py")  # where the classes are
FILE = "web/static/common/types.d.ts"

HEAD = """// The types of what the program sends and takes, made by `python -m tools.page_types` from
// web/game/page_state.py and web/history/analysis_view.py, which say what each entry is, and from the bodies of all
// commands.

export type Action =
  | {act: "place", to: string}
  | {act: "move", from: string, to: string}
  | {act: "capture", at: string}
  | {act: "rotate", ring: number, steps: number}
  | {act: "rotate", ring: null, steps: null}
  | {act: "pass"};
export type Act = {
  text: string, act: string, to?: string, from?: string, at?: string, level?: number, ring?: number, steps?: number,
};
export type Step = {paint: number, from: string | null, to: string | null};
export type Texts = Record<string, string>;
"""
PLAIN = {"int": "number", "float": "number", "str": "string", "bool": "boolean", "None": "null", "Any": "unknown"}
OF_JSON = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def script_type(node: ast.expr) -> str:
    """Return the type of a script for an annotation."""
    match node:
        case ast.BinOp(left=left, right=right):
            return f"{script_type(left)} | {script_type(right)}"
        case ast.Subscript(value=ast.Name("Mapping"), slice=ast.Tuple([key, value])):
            return f"Record<{script_type(key)}, {script_type(value)}>"
        case ast.Subscript(value=ast.Name("tuple"), slice=ast.Tuple([one, ast.Constant()])):
            item = script_type(one)
            return f"({item})[]" if "|" in item else f"{item}[]"
        case ast.Subscript(value=ast.Name("tuple"), slice=ast.Tuple(items)):
            return f"[{', '.join(map(script_type, items))}]"
    name = ast.unparse(node)
    return PLAIN.get(name, name)


def classes() -> Iterator[str]:
    """Yield a definition for each class of the sources."""
    for source in SOURCES:
        for node in ast.parse((ROOT / source).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                entries = [one for one in node.body if isinstance(one, ast.AnnAssign)]
                yield _definition(map(_entry, entries), node.name)


def _entry(entry: ast.AnnAssign) -> str:
    is_optional = isinstance(entry.value, ast.Constant) and entry.value.value is None
    return f"{ast.unparse(entry.target)}{'?' if is_optional else ''}: {script_type(entry.annotation)}"


def body_type(schema: Mapping[str, Any]) -> str:
    """Return the type of a script for the description of a body."""
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if kinds[0] == "object" and "properties" in schema:
        needed = set(schema["required"]) - {"seen"}
        own = {name: one for name, one in schema["properties"].items() if name not in ("seen", "key")}
        return "{" + ", ".join(f"{n}{'' if n in needed else '?'}: {body_type(one)}" for n, one in own.items()) + "}"
    if kinds[0] == "object":
        items = schema.get("additionalProperties")
        return f"Record<string, {'unknown' if items is None else body_type(items)}>"
    if kinds[0] == "array":
        return f"{body_type(schema['items'])}[]" + " | null" * ("null" in kinds)
    return " | ".join(OF_JSON[kind] for kind in kinds)


def commands() -> str:
    """Return the definition of the bodies of all commands, by path."""
    entries = []
    for route in ROUTES:
        body = body_of(route)
        if route.method == "POST" and not isinstance(body, tuple):
            path = re.sub(r"<int:\w+>", "${number}", re.sub(r"<\w+>", "${string}", route.rule))
            key = f"[path: `{path}`]" if "$" in path else f'"{path}"'
            entries.append(f"{key}: {body_type(body.schema)}")
    return _definition(entries, "Commands")


def _definition(entries: Iterable[str], name: str) -> str:
    return f"\nexport interface {name} {{\n" + "".join(f"  {entry};\n" for entry in entries) + "}\n"


def page_types() -> str:
    """Return the file of types."""
    return HEAD + "".join(classes()) + commands()


if __name__ == "__main__":
    (ROOT / FILE).write_text(page_types(), encoding="utf-8")
