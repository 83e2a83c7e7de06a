"""The arrows of the house point down: who may import whom, read from the source with ``ast``."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from referee.boards import BOARDS
from referee.presets import PRESETS
from tools.size import named_numbers, text_under

ROOT = Path(__file__).parent.parent
ORDER = ("millchen", "web", "calibration", "vision", "referee", "languages")  # a package may import those to its right
ONLY_IN = {
    **{name: {"web"} for name in ("flask", "cheroot", "sqlalchemy", "cryptography", "segno")},
    "PIL": {"vision", "web"},
    "platformdirs": {"calibration", "web", "millchen"},
    "cv2_enumerate_cameras": {"calibration"},
    "cv2": {"vision", "calibration", "web", "millchen"},
    "onnxruntime": {"vision"},
    "numpy": {"vision", "calibration", "web", "millchen"},
}
IMPURE = {"threading", "multiprocessing", "sqlite3", "socket", "subprocess", "time", "asyncio", "queue"}
WORDS_OF_THE_GAME = {"referee.position", "referee.moves", "referee.game", "referee.advance", "referee.turns"}
MAY_KNOW_THE_GAME = ("vision.decoding", "vision.watching", "vision.pipeline")
LAYERS = {  # lowest first: a room imports only rooms of the layers below its own
    "vision": "imaging | capture networks rotation | detection stones | change evidence | decoding | tracking overlay"
    " | watching | pipeline | cases | commands",
    "calibration": "step_texts sheets | cameras placement printed_target | field_step target_views | lens_calibration"
    " | profile | profile_folder steps | known_table own_habits report | making | commands",
    "web": "child_process | body_types colour_names errors page_words thinking | journal | drawing game net"
    " | history table | setup club | hosted_tables | views | app commands | main",
}
MOST_IMPORTS = 14
GATHERING = {  # modules whose one job is to bring others together, and how many they may bring
    "calibration.commands.calibrate": 18,
    "calibration.commands.watch": 18,
    "calibration.known_table": 17,
    "calibration.making.board_check": 15,
    "vision.pipeline": 16,
    "vision.watching.compare": 15,
    "vision.watching.field_search": 18,
    "vision.watching.state": 16,
    "web.app": 22,
    "web.commands.doctor": 15,
    "web.commands.games": 23,
    "web.game.records": 20,
    "web.hosted_tables": 16,
    "web.setup.board_photographs": 17,
    "web.setup.setup_camera": 18,
    "web.table.live_table": 21,
    "web.table.vision_process": 22,
    "web.views.games_api": 21,
    "web.views.lesson_pages": 22,
    "web.views.make_pages": 19,
    "web.views.position_pages": 18,
}


@cache
def modules() -> dict[str, Path]:
    """Every module of the project by its dotted name."""
    found = {"millchen": ROOT / "millchen.py"}
    for package in ORDER[1:]:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


@cache
def imports(name: str) -> frozenset[str]:
    """Dotted names of all modules that this one imports; ``from package import module`` names the module."""
    found: set[str] = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively: absolute names show the arrows"
            assert node.module is not None
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module for module in inner if module in modules()} or {node.module}
    return frozenset(found)


def everywhere(package: str) -> list[str]:
    return [name for name in modules() if name.split(".")[0] == package]


def core(package: str) -> list[str]:
    """The modules of a package but for the bodies of its commands: those are shell, as the camera is."""
    return [name for name in everywhere(package) if ".commands" not in name]


@pytest.mark.parametrize("package", ORDER)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    assert "vision.imaging.frame" in imports("vision.pipeline")  # there is something to check
    above = ORDER[: ORDER.index(package)]
    climbing = [(name, i) for name in everywhere(package) for i in imports(name) if i.split(".")[0] in above]
    assert climbing == []


def test_referee_and_languages_need_the_standard_library_alone() -> None:
    allowed = sys.stdlib_module_names | {"referee", "languages"}
    lowest = everywhere("referee") + everywhere("languages")
    foreign = [(name, i) for name in lowest for i in imports(name) if i.split(".")[0] not in allowed]
    assert foreign == []


@pytest.mark.parametrize("library", sorted(ONLY_IN))
def test_a_library_stays_where_it_belongs(library: str) -> None:
    users = {name.split(".")[0] for name in modules() for i in imports(name) if i.split(".")[0] == library}
    assert users <= ONLY_IN[library]


@pytest.mark.parametrize("package", ["languages", "referee", "vision", "calibration"])
def test_the_core_has_no_clock_no_thread_and_no_socket(package: str) -> None:
    impure = [(name, i) for name in core(package) for i in imports(name) if i.split(".")[0] in IMPURE]
    assert [pair for pair in impure if not pair[0].startswith("vision.capture.")] == []


def test_only_the_camera_and_the_shell_touch_files() -> None:
    opening = {"open", "imread", "imwrite", "VideoCapture", "VideoWriter", "read_text", "read_bytes", "write_text"}
    found = []
    for name in core("referee") + core("vision"):
        for node in ast.walk(tree(name)):
            if isinstance(node, ast.Call):
                called = node.func
                word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                found += [(name, word)] if word in opening else []
    # These read the numbers that lie beside them.
    shipped = {f"vision.{name}" for name in ("detection.confidence", "evidence.fusion", "stones.board_mixture")}
    shipped |= {"referee.search.shipped_solution"}
    assert [pair for pair in found if not pair[0].startswith("vision.capture.") and pair[0] not in shipped] == []


def test_in_vision_only_the_decoder_and_the_pipeline_know_positions_and_moves() -> None:
    knowing = {name for name in everywhere("vision") if imports(name) & WORDS_OF_THE_GAME}
    assert [name for name in sorted(knowing) if not name.startswith(MAY_KNOW_THE_GAME)] == []


def test_vision_knows_no_game_and_no_board_by_its_name() -> None:
    names = {*PRESETS, *BOARDS} - {"millchen"}  # that is the program too
    spelled = re.compile(rf"\b({'|'.join(sorted(names))})\b".replace("_", "[_ -]"), re.IGNORECASE)
    assert [name for name in everywhere("vision") if spelled.search(modules()[name].read_text(encoding="utf-8"))] == []


def test_no_import_hides_inside_a_function() -> None:
    hidden = [
        (name, inner.lineno)
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    ]
    assert hidden == []


def test_no_two_modules_import_each_other_even_by_a_detour() -> None:
    done: set[str] = set()

    def walk(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way[way.index(name) :], name))
        if name not in done:
            for needed in sorted(imports(name) & set(modules())):
                walk(needed, (*way, name))
            done.add(name)

    for name in modules():
        walk(name, ())


def test_a_module_leans_on_few_others() -> None:
    for name in modules():  # everywhere: texts, and types of what may be sent and typed
        wanted = (name, "languages", "referee.typed_json", "web.body_types", "vision.commands.from_signature")
        own = {i for i in imports(name) if i in modules() and i not in wanted}
        assert len(own) <= GATHERING.get(name, MOST_IMPORTS), f"{name} imports {len(own)} modules of the project"


def room_of(name: str) -> str:
    """The sub-package that a module lies in, or the module itself where it lies beside them."""
    return name.split(".")[1]


@pytest.mark.parametrize("package", sorted(LAYERS))
def test_a_room_imports_only_rooms_of_the_layers_below(package: str) -> None:
    floor = {room: i for i, rooms in enumerate(LAYERS[package].split(" | ")) for room in rooms.split()}
    inside = [name for name in everywhere(package) if name != package]
    assert {room_of(name) for name in inside} == set(floor)
    climbing = [
        f"{name} imports {i}"
        for name in inside
        for i in sorted(imports(name))
        if i.startswith(f"{package}.") and room_of(i) != room_of(name) and floor[room_of(i)] >= floor[room_of(name)]
    ]
    assert climbing == []


def test_every_number_of_vision_says_what_it_means() -> None:
    untold = []
    for name in everywhere("vision"):
        text = ""
        for node in reversed(tree(name).body):
            if not isinstance(node, ast.Assign):
                text = text_under(node)
            elif all(named_numbers(node)) and not text and ast.unparse(node.targets[0]).lstrip("(")[0] != "_":
                untold.append(f"{name}, line {node.lineno}")
    assert untold == []


@pytest.mark.parametrize("package", ORDER[1:])
def test_a_package_says_what_may_live_in_it(package: str) -> None:
    assert (ROOT / package / "README.md").exists()
    assert ast.get_docstring(tree(package))
