"""Would the tests notice? ``python -m tools.mutations --seed 1 --count 20 --only referee`` tries it by chance.

Each mutation changes one expression of the product in a copy of the tree, where the tests of its package then run
until one fails. The same seed draws the same mutations as long as the product is the same.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TESTS = {
    "referee": ["tests/referee tests/languages"],
    "languages": ["tests/languages tests/referee"],
    "vision": ["tests/vision tests/golden"],
    "calibration": ["tests/calibration"],
    "web": ["tests/web", "-m", "not browser and not slow"],
}
"""What runs where a file of a package has changed, beside that file's own examples."""
LEFT_OUT = shutil.ignore_patterns(".*", "shared", "*.egg-info", "__pycache__", "node_modules")
PAIRS = ((ast.Eq, ast.NotEq), (ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}


class Mutation(NamedTuple):
    """An expression of a file, and the text that comes in its place."""

    path: Path
    old: ast.expr
    new: str


def mutants(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """Yield what may be done to this node: the kind of mutation, the old expression and the new one."""
    match node:
        case ast.Compare(left, [op, *ops], comparators):
            yield "comparison", node, ast.Compare(left, [OPPOSITE[type(op)](), *ops], comparators)
        case ast.UnaryOp(ast.Not(), operand):
            yield "not", node, operand
        case ast.BoolOp(op, values):
            yield "and, or", node, ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.Constant(int() | float() as value) if not isinstance(value, bool):
            yield from (("constant", node, ast.Constant(value + step)) for step in (1, -1))
        case ast.Return(ast.expr() as value) if ast.unparse(value) != "None":
            yield "return", value, ast.Constant(None)


def running_code(node: ast.AST) -> Iterator[ast.AST]:
    """Walk through what runs: no annotations, and no f-strings, as Python 3.11 does not say where their parts stand."""
    yield node
    fields = [value for name, value in ast.iter_fields(node) if name not in ("annotation", "returns")]
    for child in (child for value in fields for child in (value if isinstance(value, list) else [value])):
        if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
            yield from running_code(child)


def drawn(packages: list[str], seed: int, count: int) -> Iterator[Mutation]:
    """Draw a kind for each, then one of its places: nearly all would be constants otherwise."""
    by_kind: dict[str, list[Mutation]] = {}
    for path in sorted(file for package in packages for file in (ROOT / package).rglob("*.py")):
        for node in running_code(ast.parse(path.read_bytes())):
            for kind, old, new in mutants(node):
                mutation = Mutation(path.relative_to(ROOT), old, f"({ast.unparse(new)})")
                by_kind.setdefault(kind, []).append(mutation)
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.choice(by_kind[chance.choice(sorted(by_kind))])


def mutated(source: bytes, mutation: Mutation) -> bytes:
    """Put the new text in the place of the old expression."""
    lines, old = source.splitlines(keepends=True), mutation.old
    begin = sum(map(len, lines[: old.lineno - 1])) + old.col_offset
    end = sum(map(len, lines[: (old.end_lineno or 0) - 1])) + (old.end_col_offset or 0)
    return source[:begin] + mutation.new.encode() + source[end:]


def failure(root: Path, changed: Path) -> str:
    """Run a package's tests until one fails, and say which. Those in which the file's name stands come first."""
    folders, *marks = TESTS[changed.parts[0]]
    files = [file for folder in folders.split() for file in sorted((root / folder).rglob("test_*.py"))]
    files.sort(key=lambda file: changed.stem not in file.read_text("utf-8"))
    command = [sys.executable, "-m", "pytest", "-n0", "-x", "-p", "no:cacheprovider", "--timeout=240", *marks]
    try:
        tests = [*command, *files, root / changed]
        done = subprocess.run(tests, cwd=root, capture_output=True, text=True, timeout=1800)
    except subprocess.TimeoutExpired:
        return "it hangs"
    told = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "E  "))]
    return (told or [f"exit status {done.returncode}"])[-1] if done.returncode else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", nargs="+", choices=TESTS, default=list(TESTS), metavar="PACKAGE")
    args, n_caught = parser.parse_args(), 0
    with tempfile.TemporaryDirectory(prefix="millchen-mutations-") as folder:
        root = shutil.copytree(ROOT, Path(folder) / "millchen", ignore=LEFT_OUT)
        if why := "".join(failure(root, Path(package, "__init__.py")) for package in args.only):
            sys.exit(f"without a mutation, too: {why}")
        for mutation in drawn(args.only, args.seed, args.count):
            file, source = root / mutation.path, (root / mutation.path).read_bytes()
            file.write_bytes(mutated(source, mutation))
            why = failure(root, mutation.path)
            file.write_bytes(source)
            n_caught += bool(why)
            said = f"{mutation.path}:{mutation.old.lineno}: {ast.unparse(mutation.old)[:60]} -> {mutation.new[:60]}"
            print("caught" if why else "NOT CAUGHT", said, why[:120], sep=" | ", flush=True)
    print(f"{n_caught} of {args.count} caught")
