"""What is wrong with a journal is said once and stays where it is: everything else goes on (promise R23)."""

from __future__ import annotations

import json
import random
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from languages import LANGUAGES, message
from millchen import main
from tests.web.browsing import Page, Served, expect
from tests.web.test_faults import many
from web.app import create_app
from web.club.club import Club
from web.errors import MillchenError
from web.game.event_sentences import sentences_in_all_languages
from web.history.game_index import GameIndex
from web.history.journal_reader import JournalReader
from web.journal.data_folder import TurnPhotographs
from web.journal.digest_chain import read_tip, record_digest, tip_file
from web.journal.journal import Journal, open_journal
from web.journal.journal_file import wal_file
from web.table.current_game import CurrentGame
from web.views import table_page
from web.views.context import AppContext

START = {"game": "tic_tac_toe", "options": {}, "source": "hand"}
N_TURNS = 3
LAST = 3 * (1 + N_TURNS)


def turn(ply: int) -> dict[str, object]:
    point = ("a1", "b1", "c1")[ply - 1]
    here = {"t": 1.0, "frame": 1, "confidence": 1.0, "skipped": [], "mills": []}
    return {**here, "player": 2 - ply % 2, "moves": [point]}


def play(journal: Journal, n_games: int = 3) -> None:
    """Games of a beginning and `N_TURNS` turns each: records 1 to 4, 5 to 8, 9 to 12."""
    for _ in range(n_games):
        number = journal.begin(START, by="hand").game
        for ply in range(1, N_TURNS + 1):
            journal.append(number, "turn", turn(ply), ply=ply, by="hand")


@pytest.fixture(scope="module")
def three_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "journal.sqlite"
    with Journal(path) as journal:
        play(journal)
    return path


@pytest.fixture
def played(three_games: Path, tmp_path: Path) -> Path:
    for file in (three_games, tip_file(three_games)):
        shutil.copy(file, tmp_path / file.name)
    return tmp_path / three_games.name


def change(path: Path, *statements: str) -> None:
    """Change the file behind Millchen's back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.create_function("digest", 6, record_digest)
        for act in ("UPDATE", "DELETE"):
            database.execute(f"DROP TRIGGER event_no_{act}")
        for statement in statements:
            database.execute(statement)
        for act in ("UPDATE", "DELETE"):
            said = "BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"
            database.execute(f"CREATE TRIGGER event_no_{act} BEFORE {act} ON event {said}")


def crashed(path: Path, to: Path) -> Path:
    """What a power cut leaves of a journal that is open: the file, its log and its tip."""
    to.mkdir()
    for file in (path, wal_file(path), tip_file(path)):
        shutil.copy(file, to / file.name)
    return to / path.name


def checked(path: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What `millchen games check` finds."""
    capsys.readouterr()
    status = main(["games", "check", "--json", "--data", str(path.parent)])
    problems: list[str] = json.loads(capsys.readouterr().out)["problems"]
    assert status == (1 if problems else 0)
    return problems


def swapped(*columns: str) -> tuple[str, ...]:
    """Statements that exchange columns of records 6 and 7."""
    both = ", ".join(f"{c} = (SELECT {c} FROM was WHERE was.seq = 13 - event.seq)" for c in columns)
    return (
        "CREATE TEMP TABLE was AS SELECT * FROM event WHERE seq IN (6, 7)",
        f"UPDATE event SET {both} WHERE seq IN (6, 7)",
    )


CONTENTS = ("game", "kind", "ply", "body", "wall_time", "by", "digest")
CHANGED = "record 6 of game 2 is damaged: it is not what was written"
EXCHANGED = [f"record {seq} of game 2 is damaged: it does not follow on what was written before it" for seq in (6, 7)]
DAMAGES = {
    "changed": (("UPDATE event SET body = replace(body, 'a1', 'b2') WHERE seq = 6",), [CHANGED]),
    "no text": (("UPDATE event SET body = CAST(x'7b22c3e4' AS TEXT) WHERE seq = 6",), [CHANGED]),
    "overwritten": (("UPDATE event SET body = x'00', digest = 'x', link = 'x' WHERE seq = 6",), [CHANGED]),
    "its number changed": (("UPDATE event SET ply = 'one' WHERE seq = 6",), [CHANGED]),
    "with its digest": (
        (
            "UPDATE event SET body = replace(body, 'a1', 'b2') WHERE seq = 6",
            "UPDATE event SET digest = digest(game, kind, ply, body, wall_time, by) WHERE seq = 6",
        ),
        EXCHANGED[:1],
    ),
    "its link": (("UPDATE event SET link = 'fallen' WHERE seq = 6",), EXCHANGED[:1]),
    "exchanged": (swapped(*CONTENTS), EXCHANGED),
    "exchanged with their links": (swapped(*CONTENTS, "link"), EXCHANGED),
    "taken out": (("DELETE FROM event WHERE seq = 6",), ["records 6 to 6 are missing (of game 2)", EXCHANGED[1]]),
    "put in": (
        (
            "INSERT INTO event (game, kind, ply, body, wall_time, monotonic_s, by, digest)"
            " VALUES (2, 'turn', 4, '{}', '', 0, 'hand', digest(2, 'turn', 4, '{}', '', 'hand'))",
        ),
        ["record 13 of game 2 is damaged: it does not follow on what was written before it"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_record_is_named_with_its_game_and_the_others_are_whole(
    name: str, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statements, wanted = DAMAGES[name]
    change(played, *statements)
    problems = checked(played, capsys)
    assert problems[: len(wanted)] == wanted
    assert all("game 2" in problem for problem in problems)
    with JournalReader(played) as reader:
        assert [number for number, played in reader.replays() if played.problem] == [2]


@pytest.mark.parametrize("seq", [4, 5])
@pytest.mark.parametrize("what", ["body", "digest", "link"])
def test_at_the_border_of_two_games_the_other_one_is_whole(what: str, seq: int, played: Path) -> None:
    change(played, f"UPDATE event SET {what} = 'x' WHERE seq = {seq}")
    with JournalReader(played) as reader:
        assert [number for number, played in reader.replays() if played.problem] == [1 + seq // 5]


def take_up(game: CurrentGame, journal: Journal) -> bool:
    """Whether the table goes on with a game of the journal."""
    return game.take_up("tic_tac_toe", {}, "hand", TurnPhotographs(journal.path.with_name("photographs")))


@pytest.mark.parametrize("seq", [9, 10, 12])
def test_a_damaged_newest_game_is_said_and_a_new_one_begins(seq: int, played: Path) -> None:
    change(played, f"UPDATE event SET body = '{{}}' WHERE seq = {seq}")
    with open_journal(played) as journal:
        for _ in range(2):
            assert not take_up(CurrentGame(journal), journal)
        said = f"record {seq} of game 3 is damaged: what stands before it can be read, and everything else goes on"
        assert len(journal.findings) == 1 and journal.findings[0].startswith(said)
        assert len({journal.findings[0].translated(language) for language in LANGUAGES}) == len(LANGUAGES)
        game = CurrentGame(journal)
        game.begin("tic_tac_toe", {}, "hand")
        assert (game.number, len(journal.findings)) == (4, 1)
    with open_journal(played) as journal:
        assert take_up(CurrentGame(journal), journal)
        assert journal.findings == []  # said once


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_an_evening_with_a_damaged_record_is_led_on(
    seq: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with evening(tmp_path) as club:
        club.begin_evening({"name": "Monday", "system": "round_robin", "players": ["Ann", "Jos", "Luc", "Mia"]})
        club.draw_round()
        for board in (1, 2):
            club.record_evening_event("result", {"round": 1, "board": board, "result": "1-0"})
        club.draw_round()
    path = tmp_path / "evenings.sqlite"
    change(path, f"UPDATE event SET body = '{{}}' WHERE seq = {seq}")
    with evening(tmp_path) as club:
        assert [finding.split(":")[0] for finding in club.findings] == [f"record {seq} of evening 1 is damaged"]
        assert (club.evening is None) == (seq == 1)
        club.begin_evening({"name": "Tuesday", "system": "swiss", "players": ["Ann", "Jos"]})
        assert club.evening is not None and club.evening.number == 2
    assert checked(tmp_path / "journal.sqlite", capsys) == [
        f"record {seq} of evening 1 is damaged: it is not what was written"
    ]


@contextmanager
def evening(folder: Path) -> Iterator[Club]:
    with ExitStack() as opened:
        games = opened.enter_context(open_journal(folder / "journal.sqlite"))
        evenings = opened.enter_context(open_journal(folder / "evenings.sqlite", "evenings"))
        club = opened.enter_context(closing(Club(games, evenings, sentences_in_all_languages)))
        club.start()
        yield club


# ------------------------------------------------------------ the end is missing


def without_log(path: Path) -> None:
    wal_file(path).unlink()


def with_half_a_log(path: Path) -> None:
    log = wal_file(path).read_bytes()
    wal_file(path).write_bytes(log[: len(log) // 2])


def with_an_older_copy(path: Path) -> None:
    wal_file(path).unlink()
    shutil.copy(path.with_name("older.sqlite"), path)


@pytest.mark.parametrize("lose", [without_log, with_half_a_log, with_an_older_copy])
def test_records_that_were_cut_off_are_missed(
    lose: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal(tmp_path / "journal.sqlite") as journal:
        play(journal, 1)
        older = journal.back_up()
        play(journal, 2)
        path = crashed(journal.path, tmp_path / "after")
    shutil.copy(older, path.with_name("older.sqlite"))
    lose(path)
    with open_journal(path) as journal:
        n_left = len(journal.rows_after(0, 100))
        assert n_left < LAST
        how = "has lost its end" if n_left else "is not there any more"
        assert [str(found).split("):")[0] for found in journal.findings] == [
            f"the journal of the games {how} (records: {LAST - n_left}, the last of game 3"
        ]
    if n_left:
        missing = [f"records {n_left + 1} to {LAST} are missing (of game {1 + (n_left - 1) // 4} or 3)"]
        assert checked(path, capsys) == missing
        with open_journal(path) as journal:
            new = journal.begin(START, by="hand")
            assert new.seq == LAST + 1  # a number is never used twice
        with open_journal(path) as journal:
            assert journal.findings == []  # said once
        assert [problem.split(" (")[0] for problem in checked(path, capsys)] == [missing[0].split(" (")[0]]


def test_another_journal_in_its_place_is_noticed(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tip = tip_file(played).read_bytes()
    other = played.with_name("other.sqlite")
    with Journal(other) as journal:
        play(journal, 4)
    other.replace(played)
    tip_file(played).write_bytes(tip)
    with open_journal(played) as journal:
        assert [found.split(":")[0] for found in journal.findings] == [
            "the journal of the games is another one than was last written here"
        ]
    assert checked(played, capsys) == [
        f"record {LAST} of game 3, which was written last, is not in this journal"
    ]  # fmt: skip


@pytest.mark.parametrize("content", [None, b"", b"\x00" * 124, "older"])
def test_a_tip_that_is_missing_damaged_or_older_means_nothing(
    content: bytes | str | None, played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tip = tip_file(played)
    older = tip.read_bytes()
    with Journal(played) as journal:
        play(journal, 1)
    if content is None:
        tip.unlink()
    else:
        tip.write_bytes(older if isinstance(content, str) else content)
    with open_journal(played) as journal:
        assert journal.findings == []
        record = journal.append(4, "remark", {"text": "on"}, ply=1, by="hand")
    found = read_tip(played)
    assert found is not None and (found.seq, found.game) == (record.seq, 4)
    assert checked(played, capsys) == []


# ------------------------------------------------------------ the file cannot be read


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def a_letter(path: Path) -> None:
    path.write_bytes(b"this is a letter to grandmother, not a journal at all " * 400)


def torn(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(bytes(content))


def only_a_log(path: Path) -> None:
    path.rename(wal_file(path))


def torn_with_a_log(path: Path) -> None:
    with Journal(path) as journal:
        play(journal, 1)
        there = crashed(path, path.with_name("crashed"))
    for file in there.parent.iterdir():
        file.replace(path.with_name(file.name))
    torn(path)


@pytest.mark.parametrize("damage", [nothing, a_letter, torn, torn_with_a_log, only_a_log])
def test_a_file_that_cannot_be_read_is_laid_aside_untouched_and_play_goes_on(
    damage: Callable[[Path], None], played: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal(played) as journal:
        copy = journal.back_up()
    damage(played)
    before = {file.name: file.read_bytes() for file in (played, wal_file(played)) if file.exists()}
    with pytest.raises(MillchenError, match="start Millchen, it lays it aside untouched"):
        Journal(played)  # what only reads moves nothing
    last = read_tip(played)
    assert last is not None
    with open_journal(played) as journal:
        (said,) = journal.findings
        assert copy.name in said and "lies untouched in set-aside/journal_" in said
        assert journal.begin(START, by="hand").seq == last.seq + 1  # photographs are called by the number
    (aside,) = (played.parent / "set-aside").iterdir()
    assert {file.name: file.read_bytes() for file in aside.iterdir()} == before
    assert [problem.split(" lies in")[0] for problem in checked(played, capsys)] == ["an unreadable journal.sqlite"]
    with open_journal(played) as journal:
        assert journal.findings == []
    assert main(["games", "list", "--data", str(aside)]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err


def flip(path: Path, rng: random.Random) -> int:
    """Flip some bits of the file, or cut it off; return how many."""
    content = bytearray(path.read_bytes())
    n = rng.choice((1, 1, 1, 8, len(content)))
    if n == len(content):
        content = content[: rng.randrange(len(content))]
    else:
        for _ in range(n):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(bytes(content))
    return n


def start_with_flipped_bits(played: Path, folder: Path, n: int) -> dict[str, int]:
    """Start with damaged journals; return how often what was the case."""
    rng = random.Random(23)
    counts = dict.fromkeys(
        ("whole", "said to be damaged", "laid aside", "refused as another program's or version's"), 0
    )
    with JournalReader(played) as reader:
        wanted = {number: reader.replay(number).records for number in (1, 2, 3)}
    for k in range(n):
        path = folder / str(k) / "journal.sqlite"
        path.parent.mkdir()
        for file in (played, tip_file(played)):
            shutil.copy(file, path.with_name(file.name))
        n_flipped = flip(path, rng)
        try:
            with ExitStack() as opened:
                games = opened.enter_context(open_journal(path))
                evenings = opened.enter_context(Journal(folder / "evenings.sqlite", "evenings"))
                club = opened.enter_context(closing(Club(games, evenings, sentences_in_all_languages)))
                game = CurrentGame(games)
                if not take_up(game, games):
                    game.begin("tic_tac_toe", {}, "hand")
                club.start()
                club.show_table("")
        except MillchenError as why:
            assert "another program" in str(why) or "has format" in str(why) or "readonly" in str(why), why
            counts["refused as another program's or version's"] += 1
        else:
            with JournalReader(path) as reader:
                problems = reader.problems()
                GameIndex().find(reader)
                found = {number: reader.replay(number).records for number in reader._numbers()}
            if (path.parent / "set-aside").exists():
                counts["laid aside"] += 1
            else:
                changed = [one for one in wanted if found.get(one, ())[: len(wanted[one])] != wanted[one]]
                assert not changed or problems, k
                assert len(changed) <= n_flipped, k
                counts["said to be damaged" if problems else "whole"] += 1
        shutil.rmtree(path.parent)
    return counts


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("n", [8, pytest.param(many(2000), marks=pytest.mark.slow)])
def test_flipped_bits_keep_nobody_from_playing(n: int, played: Path, tmp_path: Path) -> None:
    counts = start_with_flipped_bits(played, tmp_path, n)
    assert counts["laid aside"] > 0
    print(f"R23: {n} damaged journals:", ", ".join(f"{how_often} {what}" for what, how_often in counts.items()))


# ------------------------------------------------------------ copies


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_copy_on_a_full_disk_is_one_sentence_and_leaves_nothing(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with Journal(played) as journal:
        play(journal, 10)
    with full_disk(36_000):  # SQLite's index of the log, which it needs to read at all, has 32768 bytes
        assert main(["games", "backup", "--data", str(played.parent)]) == 1
    said = capfd.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "the journal could not be copied" in said.err and "make room on the disk" in said.err
    assert list((played.parent / "backups").iterdir()) == []
    assert main(["games", "backup", "--data", str(played.parent)]) == 0


# ------------------------------------------------------------ how it is said


def test_only_the_referee_is_told_of_it_on_the_page(shell: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    found = message("journal.damaged_record", seq=7, one=message("journal.game", number=3))
    monkeypatch.setattr(AppContext, "findings", (found,))
    app = create_app(shell)
    page = app.test_client().get("/?", headers={"Accept-Language": "de"}).get_data(as_text=True)
    assert "Eintrag 7 aus Partie 3 ist beschädigt" in page
    monkeypatch.setattr(table_page, "REFEREE", "somebody else")
    assert "Eintrag 7" not in app.test_client().get("/", headers={"Accept-Language": "de"}).get_data(as_text=True)


def test_on_the_page_it_is_said_until_it_is_closed(
    served: Callable[..., Served], visit: Callable[..., Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AppContext, "findings", (message("journal.exchanged", what=message("journal.games")),))
    page = visit(served("d6"))
    notice = page.get_by_role("complementary", name="What was found in the journal")
    expect(notice).to_contain_text("is another one than was last written here")
    page.get_by_role("button", name="Got it").click()
    expect(notice).to_be_hidden()
    page.reload()
    expect(page.locator("#said, #players").first).to_be_visible()
    expect(notice).to_be_hidden()
