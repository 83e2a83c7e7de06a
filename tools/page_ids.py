"""Makes the types of the elements that scripts look for by their id: ``python -m tools.page_ids``."""

from __future__ import annotations

import re
from collections import defaultdict

from tools.page_types import ROOT

FILE = "web/static/common/ids.d.ts"
HEAD = """/** The elements of the pages by their id, made by `python -m tools.page_ids` from the templates. */
export interface Ids {
"""
WITH_ID = re.compile(r"<(\w+)\b[^<>]*?\sid=\"([\w-]+)\"")
DIALOG = re.compile(r"sure_dialog\(\"([\w-]+)\"")  # the macro of sure.html
PARTS = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.S)


def page_ids() -> str:
    """Return the file: each id with the type of its element, of all elements where several pages have one."""
    tags: dict[str, set[str]] = defaultdict(set)
    for template in sorted((ROOT / "web/templates").glob("*.html")):
        text = template.read_text(encoding="utf-8")
        for tag, name in WITH_ID.findall(PARTS.sub("", text)):
            tags[name].add(tag)
        for name in DIALOG.findall(text):
            tags[name].add("dialog")
            tags[f"{name}-title"].add("h2")
    return (
        HEAD + "".join(f'  "{name}": {" | ".join(map(_type, sorted(tags[name])))};\n' for name in sorted(tags)) + "}\n"
    )


def _type(tag: str) -> str:
    return "SVGSVGElement" if tag == "svg" else f'HTMLElementTagNameMap["{tag}"]'


if __name__ == "__main__":
    (ROOT / FILE).write_text(page_ids(), encoding="utf-8")
