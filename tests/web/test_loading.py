"""What is loaded when, and Ctrl-C meanwhile: one quiet end, from the first moment on (promise R20)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.film

ROOT = Path(__file__).parents[2]
HEAVY = "{'numpy', 'cv2', 'PIL', 'flask', 'cheroot', 'sqlalchemy', 'cryptography'}"


def hears_ctrl_c() -> None:
    """Tests in the background inherit deafness."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def left(code: str, *words: str) -> tuple[int, str, str]:
    """How a program ends that runs this code with these words, and what it says."""
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, preexec_fn=hears_ctrl_c)
    return done.returncode, done.stdout, done.stderr


def test_no_library_is_loaded_before_it_is_known_what_is_wanted() -> None:
    """A process of eyes loads the program's first file again, and rules are judged without seeing."""
    code = f"import sys, millchen; millchen.main(['judge']); print(sorted({HEAVY} & set(sys.modules)))"
    assert left(code) == (0, "[]\n", "")


def test_the_eyes_load_nothing_of_the_page() -> None:
    code = f"import sys, web.table.vision_process; print(sorted({HEAVY} & set(sys.modules)))"
    assert left(code)[1] == "['cv2', 'numpy']\n"


@pytest.mark.parametrize(
    ("library", "words"), [("cv2", ()), ("cv2", ("doctor",)), ("cv2", ("read", "x.jpg")), ("argparse", ())]
)
def test_ctrl_c_while_the_libraries_load_ends_without_a_word(
    library: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    """The library that is interrupted may print the exception, or take it for one of its own: here none is raised."""
    (tmp_path / f"{library}.py").write_text(
        "import os, signal\ntry: os.kill(os.getpid(), signal.SIGINT)\nexcept KeyboardInterrupt: raise ImportError('x')"
    )
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; import millchen; sys.exit(millchen.main())"
    assert left(code, *words) == (130, "", "")


def test_ctrl_c_at_any_moment_of_the_start_is_one_quiet_end_of_everybody(tmp_path: Path) -> None:
    """A terminal sends it to the whole group: the process of the eyes, which is still loading, must not answer too."""
    interrupt(tmp_path, (False, 0.1), (True, 0.1))


@pytest.mark.slow
def test_ctrl_c_at_many_moments_of_the_start_is_one_quiet_end_of_everybody(tmp_path: Path) -> None:
    interrupt(tmp_path, *((True, 0.05 * k) for k in range(20)))


def interrupt(tmp_path: Path, *moments: tuple[bool, float]) -> None:
    """Start, and press Ctrl-C so many seconds after the first sign of life, or after the page is there."""
    start = tmp_path / "millchen"  # what pip installs, and the eyes load again
    start.write_text(
        f"import sys\nsys.path[:0] = [{str(ROOT)!r}]\nprint('here', flush=True)\nfrom millchen import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    for has_page, seconds in moments:
        running = subprocess.Popen(
            [sys.executable, str(start), "--port", "0", "--no-browser", "--no-link", "--data", str(tmp_path / "data")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=hears_ctrl_c,
        )
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == "here\n"
        if has_page:
            assert running.stderr.readline().startswith("Millchen is at")
        time.sleep(seconds)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=60)
        assert running.returncode == 130, said
        assert said == "" or said.startswith("Millchen is at") and said.count("\n") == 1, said
