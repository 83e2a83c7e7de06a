"""What a page may ask of its table, and of the program that hosts it among others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from referee.board import Board
from web.game.clock import Clock
from web.game.replay import GameState
from web.game.snapshot import Announcement, SnapshotPublisher
from web.journal.data_folder import TurnPhotographs
from web.journal.journal_record import UnwrittenRecord
from web.net.film_upload import FilmUploads
from web.table.sent_commands import CommittedCommand, SentCommand
from web.table.source_names import Source

ImagePoint = tuple[float, float]
"""x and y in pixels of the camera's picture."""


class TableProtocol(Protocol):
    """What a page may ask of a live table. Each method raises MillchenError where it cannot be done."""

    @property
    def publisher(self) -> SnapshotPublisher:
        """The newest state and the announcements."""

    @property
    def board(self) -> Board:
        """The board of the present game."""

    def announcements_after(self, seq: int) -> Sequence[Announcement]:
        """Return what was announced in this game after the journal's number ``seq``."""

    def request_pictures(self) -> None:
        """Keep pictures coming for a while, because somebody is looking."""

    def new_game(
        self,
        game: str,
        options: Mapping[str, Any],
        source: str | None = None,
        *,
        lesson: int = 0,
        laid: Mapping[str, Any] | None = None,
    ) -> None:
        """Close the game and begin another one, from another source where one is named, or a lesson of it.

        With ``laid`` it begins from a position: its ``fen``, and the ``colours`` of the stones.
        """

    def restart_game(self, *, number: int | None = None, swap: bool = False) -> None:
        """Begin the same game again, if it is still that number; with ``swap`` the players change their places."""

    def go_on(self, number: int) -> None:
        """Go on with an unfinished game of the journal."""

    def decline_offer(self) -> None:
        """Begin what the command asked for, in the place of the game that was taken up at the start."""

    def use_source(self, source: str) -> None:
        """Take the pictures from another source. A camera goes on with the game, a film begins its own."""

    def find_source(self, text: str) -> Source:
        """Return the source that a text names, as it is opened from here."""

    def place_corners(self, corners: Sequence[ImagePoint]) -> None:
        """Set the corners of the field by hand, clockwise from the upper left one."""

    def carry_out(self, sent: SentCommand, command: Callable[[], CommittedCommand | None]) -> CommittedCommand:
        """Carry out a command of people once: when this returns, what it changed is written.

        Args:
            command: Calls methods of this table; it returns where it was written, None where that is the game that is
                on.

        Returns:
            The same for every retry.

        Raises:
            StaleCommandError: When the game has gone on since the sender looked at it.
            NotWrittenError: When it was not done, and will not be done later: the journal cannot be written, or the
                table is busy.
        """

    def let_foul_stand(self) -> None:
        """Let the foul stand and go on from the position on the table."""

    def correct_point(self, point: str, top: int) -> None:
        """Take over what people say lies on a point: 0 nothing, k a stone of player k."""

    def resume_from_seen(self, tops: Sequence[int], to_move: int | None) -> None:
        """Go on from the board as it is seen: by point 0 bare, k a stone of player k; ``to_move`` is 1 first."""

    def keep_game(self) -> None:
        """Stay with the game that was chosen, although the board in sight fits another one."""

    def take_back(self) -> None:
        """Take back the last turn."""

    def apply_command(self, command: Callable[[GameState], UnwrittenRecord]) -> None:
        """Apply a command of people, such as names, an ending or a correction."""

    def ask_for_hint(self) -> None:
        """Have Millchen think about the best turn. What it finds is announced when it is known."""

    def set_clock(self, change: Callable[[Clock, GameState, float], Clock]) -> None:
        """Change the clock of the table."""

    def add_record(self, game: int, kind: str, ply: int | None, body: dict[str, Any]) -> CommittedCommand:
        """Write a record that changes no position, such as a name or a remark, also of a game that is over."""

    def keep_records(self, bodies: Sequence[Mapping[str, Any]]) -> Sequence[int]:
        """Keep games that came from a file, all or none, and return their numbers."""

    @property
    def journal_path(self) -> Path:
        """The file of the journal, for those who only read it."""

    @property
    def photographs(self) -> TurnPhotographs:
        """The photographs of accepted turns."""

    @property
    def uploads(self) -> FilmUploads:
        """Films and photographs that were picked on the page."""

    def set_paused(self, is_paused: bool) -> None:
        """Release the camera while somebody else uses it, or take it again."""

    def health(self) -> Mapping[str, Any]:
        """Return counters for people who look after the machine."""


class TableHost(Protocol):
    """What a page may ask of the program that hosts its table among others."""

    @property
    def source_names(self) -> Sequence[str]:
        """The names of the sources at which the tables look."""

    @property
    def page_addresses(self) -> Mapping[str, str]:
        """The address of every table's page on this computer, by the table's name."""

    def add_table(self, name: str, source: str, game: str, options: Mapping[str, Any]) -> str:
        """Open another table and return the address of its page. Raises MillchenError where it cannot be done."""

    def going_on(self, number: int, here: object) -> AbstractContextManager[None]:
        """Let one table alone open an unfinished game. Raises MillchenError where it is on at another one."""

    def open_network(self) -> None:
        """Let devices in the network in. Raises MillchenError where it cannot be done."""

    def close_network(self) -> None:
        """Let nobody in the network in any more, and forget the links."""
