"""What each promise of docs/PROMISES.md stands on, how that is taken away, and the test that must notice.

A defence is an attribute of a module; it is replaced as soon as the module is loaded, before anybody can hold the old
one, in every process of the run (`mutating/sitecustomize.py`). Only the standard library is loaded here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from importlib.machinery import ModuleSpec, PathFinder
from tempfile import NamedTemporaryFile
from types import ModuleType
from typing import Any

NEVER = re.compile("(?!)")
ANY_SIZE = 10**12
WEB = "tests/web"


@dataclass(frozen=True, slots=True)
class Defence:
    """An attribute (``name`` or ``Class.name``) of a module, and what stands in its place once it is taken away."""

    module: str
    attribute: str
    without: Callable[[Any], Any]

    def remove(self, module: ModuleType) -> None:
        *path, name = self.attribute.split(".")
        owner = reduce(getattr, path, module)
        setattr(owner, name, self.without(vars(owner)[name]))


@dataclass(frozen=True, slots=True)
class Mutation:
    """Defences that are taken away together, and the tests of which one must then fail.

    It fails by an assertion of its own, or by the mistake that is named (a pattern).
    """

    promise: str
    name: str
    defences: tuple[Defence, ...]
    tests: tuple[str, ...]
    by: str = r"assert |AssertionError|Failed: |playwright\S*TimeoutError"


def instead(value: Any) -> Callable[[Any], Any]:
    """Something else in its place."""
    return lambda _: value


def afterwards(act: Callable[..., Any]) -> Callable[[Any], Any]:
    """The same function, and something more is done with its arguments when it has returned."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*words: Any, **named: Any) -> Any:
            result = function(*words, **named)
            act(*words)
            return result

        return wrapped

    return wrap


# ---------------------------------------------------------------- what is more than a line


def any_version(connection: Any, _: Any) -> bool:
    """Only whether there are tables is looked at."""
    is_new = connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar_one() == 0
    connection.commit()
    return bool(is_new)


def forgetful(journal: Any) -> None:
    journal._connection.commit = lambda: None


def swallowing(append_all: Callable[..., Any]) -> Callable[..., Any]:
    """A refusal of the disk is not told."""

    def append(journal: Any, events: Sequence[Any], by: str) -> Any:
        record = sys.modules["web.journal.journal_record"].JournalRecord
        try:
            return append_all(journal, events, by)
        except sys.modules["web.errors"].MillchenError:
            return tuple(record(0, game, kind, ply, body, "", by) for game, kind, ply, body in events)

    return append


def one_by_one(append_all: Callable[..., Any]) -> Callable[..., Any]:
    """Every event has a transaction of its own."""
    return lambda journal, events, by: tuple(append_all(journal, [one], by)[0] for one in events)


def queueing(hold_newest: Callable[..., Any]) -> Callable[..., Any]:
    """No new picture is taken before the eyes have fetched the one before."""

    def hold(camera: Any, capture: Any) -> None:
        class Slow:
            def read(self) -> Any:
                waiting: list[Any] = camera.__dict__.setdefault("waiting", [])
                answer = capture.read()
                waiting.append(answer)
                return answer

        hold_newest(camera, Slow())

    return hold


def queue_of(iterate: Callable[..., Any]) -> Callable[..., Any]:
    """Every picture is yielded in its turn, however old it is."""

    def every(camera: Any) -> Any:
        frame_of, n = sys.modules["vision.capture.sources"].Frame, 0
        for newest in iterate(camera):
            while n <= newest.sequence:
                yield frame_of(camera.waiting[n][1], newest.time_s, n)
                n += 1

    return every


def with_a_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """Somebody outside is asked."""

    def call(*words: Any) -> Any:
        with __import__("socket").socket() as caller:
            caller.setblocking(False)
            caller.connect_ex(("192.0.2.9", 9))
        return function(*words)

    return call


def with_an_eval(run: Callable[..., Any]) -> Callable[..., Any]:
    """The linter finds one file more among ours."""

    def planted(words: Sequence[str], **named: Any) -> Any:
        with NamedTemporaryFile("w", suffix=".py") as file:
            file.write("eval(input())\n")
            file.flush()
            return run([*words, file.name] if "ruff" in words else words, **named)

    return planted


def with_a_list(publish: Callable[..., Any]) -> Callable[..., Any]:
    kept: list[Any] = []
    return afterwards(lambda _, picture: kept.append(picture))(publish)


def without_locks(send: Callable[..., Any]) -> Callable[..., Any]:
    """The page is told of no lock, so that every tab takes a stream."""

    def serve(path: str) -> Any:
        answer = send(path)
        if path.endswith("event_stream.js"):
            answer.direct_passthrough = False
            answer.set_data(answer.get_data(as_text=True).replace("navigator.locks", "undefined"))
        return answer

    return serve


def believed(row: Any) -> Any:
    """A record as it stands in its row, whatever its digest says."""
    record = sys.modules["web.journal.journal_record"].JournalRecord
    return record(row.seq, row.game, row.kind, row.ply, json.loads(row.body), row.wall_time, row.by)


def normal(connection: Any, _: object) -> None:
    connection.execute("PRAGMA synchronous = NORMAL").close()


def deaf(queue: Callable[..., Any]) -> Callable[..., Any]:
    """A queue into which no signal comes."""

    def make() -> Any:
        class Deaf:
            def put(self, _: object) -> None:
                pass

            def get(self, timeout: float) -> Any:
                return queue().get(timeout=timeout)

        return Deaf()

    return make


def unhidden(check: Callable[..., Any]) -> Callable[..., Any]:
    """A look at a table with a hand over it is taken for one at a bare table."""

    def look(*words: Any, **named: Any) -> Any:
        seen = check(*words, **named)
        is_lost = isinstance(seen.field, sys.modules["vision.imaging.field"].NotRegistered)
        return seen if is_lost else replace(seen, hidden=seen.hidden & False, blocked=False)

    return look


JOURNAL, JOURNAL_FILE, GAME = "web.journal.journal", "web.journal.journal_file", "web.table.current_game"

MUTATIONS = (
    Mutation(
        "R1",
        "no commit",
        (Defence(JOURNAL, "Journal._prepare", afterwards(forgetful)),),
        (f"{WEB}/test_journal.py::test_no_acknowledged_event_is_lost_when_the_writer_is_killed",),
    ),
    Mutation(
        "R1",
        "the course of today is told",
        (Defence(GAME, "CurrentGame.state_after", instead(lambda game, _: game.state)),),
        (f"{WEB}/test_hand_corrections.py::test_after_a_new_start_what_was_said_is_said_of_the_game_as_it_was_then",),
        by="IndexError: tuple index out of range",  # a turn is told that the game of today no longer has
    ),
    Mutation(
        "R2",
        "synchronous is NORMAL",
        (Defence(JOURNAL_FILE, "_set_pragmas", afterwards(normal)),),
        (f"{WEB}/test_powercut.py::test_no_acknowledged_turn_is_lost_when_the_power_is_cut",),
    ),
    Mutation(
        "R3",
        "a refusal of the disk is swallowed",
        (Defence(JOURNAL, "Journal._append_all", swallowing),),
        (f"{WEB}/test_journal.py::test_an_event_that_does_not_fit_on_the_disk_is_refused_and_can_be_tried_again",),
    ),
    Mutation(
        "R3",
        "what is refused does not wait",
        (Defence(GAME, "CurrentGame.write_unsaved", afterwards(lambda game: game._unsaved.clear())),),
        (f"{WEB}/test_live_table.py::test_a_full_disk_holds_the_turn_back_until_there_is_room",),
    ),
    Mutation(
        "R4",
        "any number of pixels",
        (
            Defence("web.net.image_upload", "MAX_PIXELS", instead(ANY_SIZE)),
            Defence("web.net.image_upload", "MAX_DECODED_PIXELS", instead(ANY_SIZE)),
        ),
        (f"{WEB}/test_upload.py::test_too_large_a_picture_is_refused_before_it_is_decoded",),
    ),
    Mutation(
        "R5",
        "a game's number of any size",
        (Defence("web.history.journal_reader", "GAME_NUMBER_LIMIT", instead(10**40)),),
        (f"{WEB}/test_openapi.py::test_a_number_that_no_journal_has_is_refused_in_the_same_shape",),
    ),
    Mutation(
        "R6",
        "bodies of any size",
        (
            Defence("web.net.image_upload", "MAX_UPLOAD_BYTES", instead(ANY_SIZE)),
            Defence("web.app", "MAX_BODY_BYTES", instead(ANY_SIZE)),
        ),
        (f"{WEB}/test_bodies.py::test_a_gigabyte_is_refused_before_much_of_it_is_read[POST /api/act-by length]",),
    ),
    Mutation(
        "R7",
        "places are not counted",
        (Defence("web.views.event_stream", "acquire_slot", instead(lambda _: lambda: None)),),
        (f"{WEB}/test_stream.py::test_no_more_streams_than_agreed_and_other_requests_still_pass",),
    ),
    Mutation(
        "R8",
        "whoever connects gets a thread",
        (
            Defence(
                "web.net.server",
                "PollingConnection.communicate",
                lambda _: __import__("cheroot.server").server.HTTPConnection.communicate,
            ),
        ),
        (f"{WEB}/test_watchers.py::test_those_who_stop_reading_or_send_half_a_request_hold_up_nobody",),
    ),
    Mutation(
        "R9",
        "a stream for every tab",
        (Defence("web.views.table_page", "static_file", without_locks),),
        (f"{WEB}/test_many_pages.py::test_eight_tabs_of_one_browser_show_the_same_turn",),
    ),
    Mutation(
        "R10",
        "what was missed is sent from the beginning",
        (
            Defence(
                "web.table.live_table",
                "LiveTable.announcements_after",
                lambda function: lambda table, _: function(table, 0),
            ),
        ),
        (f"{WEB}/test_stream.py::test_a_page_that_comes_back_hears_what_it_missed_and_nothing_twice",),
    ),
    Mutation(
        "R11",
        "no time-out for a camera",
        (
            Defence(
                "vision.capture.sources",
                "_open_capture",
                instead(lambda name: sys.modules["cv2"].VideoCapture(name)),
            ),
        ),
        (
            f"{WEB}/test_camera.py::test_a_camera_that_fails_is_lost_within_three_seconds_and_can_be_opened_again[stall]",
        ),
    ),
    Mutation(
        "R12",
        "a field is believed to lie where it lay",
        (
            Defence(
                "vision.tracking.follow",
                "follow",
                instead(
                    lambda anchor, _: sys.modules["vision.tracking.follow"].TrackedField(
                        anchor.field, sys.modules["numpy"].eye(3), moved=False
                    )
                ),
            ),
        ),
        (f"{WEB}/test_disturbed.py::test_what_disturbs_a_table_invents_no_move_and_the_game_goes_on[40 px]",),
    ),
    Mutation(
        "R12",
        "nothing is taken to be in the way",
        (Defence("vision.tracking.occlusion", "check_occlusion", unhidden),),
        (f"{WEB}/test_disturbed.py::test_what_disturbs_a_table_invents_no_move_and_the_game_goes_on[hand]",),
    ),
    Mutation(
        "R13",
        "no new eyes",
        (Defence("web.table.supervisor", "RESTART_DELAYS_S", instead((3600.0,))),),
        (f"{WEB}/test_live_table.py::test_eyes_that_crash_cost_seconds_and_no_turn",),
    ),
    Mutation(
        "R14",
        "pictures are kept",
        (Defence("web.game.snapshot", "SnapshotPublisher.publish_picture", with_a_list),),
        (f"{WEB}/test_soak.py::test_frames_leave_nothing_behind",),
    ),
    Mutation(
        "R15",
        "order is told by the hour",
        (
            Defence(
                JOURNAL,
                "Journal.records",
                lambda function: (
                    lambda *words, **named: tuple(
                        sorted(function(*words, **named), key=lambda record: record.wall_time)
                    )
                ),
            ),
        ),
        (f"{WEB}/test_clocks.py::test_a_game_is_kept_and_told_in_order_while_the_wall_clock_jumps",),
    ),
    Mutation(
        "R16",
        "the role is not asked",
        (
            Defence(
                "web.net.roles",
                "ROLES_LET_IN",
                lambda table: dict.fromkeys(table, frozenset({None, "viewer", "camera", "referee"})),
            ),
        ),
        (f"{WEB}/test_access.py::test_every_role_gets_exactly_what_the_table_says_with_every_method",),
    ),
    Mutation(
        "R16",
        "the origin is not asked",
        (Defence("web.app", "_refuse_cross_site", instead(lambda *_: None)),),
        (f"{WEB}/test_access.py::test_a_forged_command_is_refused_even_with_the_referees_cookie",),
    ),
    Mutation(
        "R17",
        "one call is made",
        (Defence("web.main", "_serve", with_a_call),),
        (f"{WEB}/test_nothing_leaves.py::test_a_whole_game_asks_nobody_outside_and_needs_no_network",),
    ),
    Mutation(
        "R17",
        "photographs are on",
        (
            Defence(
                "web.game.game_state", "GameState.keeps_photographs", instead(property(lambda _: True, lambda *_: None))
            ),
        ),
        (f"{WEB}/test_nothing_leaves.py::test_no_picture_is_kept_until_somebody_asks_for_it",),
    ),
    Mutation(
        "R18",
        "any version is read",
        (Defence("web.journal.schema", "is_new_file", instead(any_version)),),
        (f"{WEB}/test_journal.py::test_a_journal_of_another_version_is_refused_in_one_sentence_and_stays_untouched",),
    ),
    Mutation(
        "R18",
        "every record is believed",
        (Defence("web.journal.digest_chain", "record_from_row", instead(believed)),),
        (f"{WEB}/test_damaged_journal.py::test_a_damaged_record_is_named_with_its_game_and_the_others_are_whole",),
    ),
    Mutation(
        "R19",
        "frames wait for the eyes",
        (
            Defence("vision.capture.sources", "LiveCamera._hold_newest", queueing),
            Defence("vision.capture.sources", "LiveCamera.__iter__", queue_of),
        ),
        (f"{WEB}/test_camera.py::test_a_slow_eye_sees_the_newest_frame_and_the_others_are_dropped",),
    ),
    Mutation(
        "R20",
        "the signal is not heard",
        (Defence("web.main", "SimpleQueue", deaf),),
        (f"{WEB}/test_main.py::test_it_ends_within_two_seconds_when_asked_to[15-0]",),
    ),
    Mutation(
        "R20",
        "the folder is not locked",
        (Defence("web.journal.data_folder", "_lock", instead(lambda _: None)),),
        (f"{WEB}/test_journal.py::test_a_second_millchen_on_the_same_data_folder_is_refused",),
    ),
    Mutation(
        "R20",
        "the end waits for the deaf",
        (Defence("web.net.server", "_shut_connections", instead(lambda _: None)),),
        (f"{WEB}/test_watchers.py::test_the_end_waits_for_nobody_who_does_not_read",),
    ),
    Mutation(
        "R20",
        "children hear Ctrl-C too",
        (Defence("web.table.camera_process", "_block_sigint_in_children", instead(lambda: None)),),
        (f"{WEB}/test_loading.py::test_ctrl_c_at_many_moments_of_the_start_is_one_quiet_end_of_everybody",),
    ),
    Mutation(
        "R21",
        "an eval is put in",
        (Defence("subprocess", "run", with_an_eval),),
        ("tests/test_known_holes.py::test_the_linter_knows_no_hole_in_our_code",),
    ),
    Mutation(
        "R22",
        "what was seen is not looked at",
        (Defence("web.table.sent_commands", "SentCommand.refuse_if_stale", instead(lambda *_: None)),),
        (f"{WEB}/test_commands.py::test_every_command_about_the_board_says_what_its_sender_saw",),
    ),
    Mutation(
        "R22",
        "keys are not kept",
        (Defence("web.journal.journal_record", "key_field", instead(dict)),),
        (f"{WEB}/test_commands.py::test_a_retry_is_the_same_command_also_after_a_crash",),
    ),
    Mutation(
        "R22",
        "what the disk refuses is acknowledged",
        (Defence(JOURNAL, "Journal._append_all", swallowing),),
        (f"{WEB}/test_commands.py::test_on_a_full_disk_nothing_is_acknowledged_and_nothing_waits",),
    ),
    Mutation(
        "R22",
        "what follows is written on its own",
        (Defence(JOURNAL, "Journal._append_all", one_by_one),),
        (f"{WEB}/test_commands.py::test_a_turn_and_what_follows_from_it_are_written_together_or_not",),
    ),
    Mutation(
        "R23",
        "links are not looked at",
        (Defence("web.journal.digest_chain", "_is_in_its_place", instead(lambda _: True)),),
        (f"{WEB}/test_damaged_journal.py::test_a_damaged_record_is_named_with_its_game_and_the_others_are_whole",),
    ),
    Mutation(
        "R23",
        "a damaged game stops the start",
        (Defence(JOURNAL, "Journal.whole_records", instead(lambda journal, game: journal.records(game))),),
        (f"{WEB}/test_damaged_journal.py::test_a_damaged_newest_game_is_said_and_a_new_one_begins",),
        by="assert |web.journal.digest_chain.DamagedRecordError",
    ),
    Mutation(
        "R23",
        "what kills the eyes is tried again and again",
        (Defence("web.table.vision_restart", "MAX_DEATHS", instead(10**6)),),
        (f"{WEB}/test_crashes.py::test_only_the_same_thing_at_the_same_place_of_the_game_is_let_go",),
    ),
    Mutation(
        "R24",
        "everybody of this computer is the referee",
        (Defence("web.net.owner_access", "OwnerAccess.role_of_request", instead(lambda *_: "referee")),),
        (f"{WEB}/test_owner_access.py::test_without_the_owners_token_every_route_is_refused",),
    ),
    Mutation(
        "R24",
        "modes are left as they come",
        (Defence("web.journal.data_folder", "PRIVATE_UMASK", instead(0o022)),),
        (f"{WEB}/test_owner_access.py::test_what_is_written_while_serving_is_the_owners_alone",),
    ),
    Mutation(
        "R25",
        "shares are not looked at",
        (Defence("web.net.quotas", "Quota.acquire_slot", instead(lambda *_: lambda: None)),),
        (f"{WEB}/test_shares.py::test_no_link_of_the_network_takes_the_streams_of_others",),
    ),
    Mutation(
        "R26",
        "what is no text is let through",
        (Defence("referee.record_files", "_NOT_TEXT", instead(NEVER)),),
        ("tests/referee/test_record_files.py::test_what_is_damaged_is_refused_with_its_place",),
    ),
)


# ---------------------------------------------------------------- taking away


class _Finder:
    """Takes defences away as their modules are loaded; asked before Python's own finders."""

    def __init__(self, defences: Sequence[Defence]) -> None:
        self._defences = defences

    def find_spec(self, name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        wanted = [defence for defence in self._defences if defence.module == name]
        spec = PathFinder.find_spec(name, path) if wanted else None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_without(module: ModuleType) -> None:
            load(module)
            for defence in wanted:
                defence.remove(module)

        spec.loader.exec_module = load_without  # type: ignore[method-assign]
        return spec


def take_away(mutation: Mutation) -> None:
    """Take the defences of this process away, those of modules that are loaded at once."""
    for defence in mutation.defences:
        if defence.module in sys.modules:
            defence.remove(sys.modules[defence.module])
    sys.meta_path.insert(0, _Finder(mutation.defences))  # type: ignore[arg-type]
