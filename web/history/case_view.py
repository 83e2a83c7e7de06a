"""A case in, sentences about its hypotheses and positions to draw out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from referee.announce import Speaker
from referee.events import QuestionAsked
from referee.game import Game
from referee.presets import find_variant
from vision.cases.case import members_of, read_case_data, with_case_data
from web.colour_names import colour_names
from web.journal.data_folder import CaseFolder
from web.page_words import words

README = "README.txt"  # in a case that is sent


def readable_cases(folder: CaseFolder) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and content of every case, newest first; what cannot be read is passed over."""
    for number in folder.numbers():
        with suppress(ValueError):
            yield number, read_case_data(folder.load(number) or b"")


def position_of(data: Mapping[str, Any], tops: Sequence[int]) -> Game:
    """Return a game whose position shows these tops, to be drawn."""
    start = Game.start(find_variant(data["game"], **data["options"]))
    return start.play_on(tops, is_judged=False)


def first_text(data: Mapping[str, Any], language: str) -> str:
    """Return the likeliest hypothesis as a sentence, or how a search for the board ended; empty where neither was."""
    thought = data["thought"]
    if thought["hypotheses"]:
        return f"{hypothesis_text(data, 0, language)} {percent(thought['hypotheses'][0]['p'])}"
    return str(thought["search"].get(language, ""))


def hypothesis_text(data: Mapping[str, Any], k: int, language: str) -> str:
    """Return the hypothesis with index ``k`` as a sentence."""
    hypothesis, board = data["thought"]["hypotheses"][k], find_variant(data["game"], **data["options"]).board
    speaker = Speaker(language, colour_names(data["colours"]))
    if hypothesis["foul"]:
        return speaker.foul(hypothesis["foul"])
    text, players = hypothesis["answer"]
    return speaker.answers(QuestionAsked((text,), 0.0, 0, players=(tuple(players),)), board)[0]


def said_texts(data: Mapping[str, Any], language: str) -> list[str]:
    """Return what people did and said afterwards, in order."""
    texts = words(language)
    return [texts[f"case.said.{event['kind']}"] for event in data["said"] if f"case.said.{event['kind']}" in texts]


def percent(p: float) -> str:
    """Return a probability as it is read; one that is not quite certain is not called so.

    >>> percent(0.614), percent(0.9999), percent(0.0002)
    ('61 %', '> 99 %', '< 1 %')
    """
    percents = round(100 * p)
    return "> 99 %" if percents == 100 else "< 1 %" if percents == 0 else f"{percents} %"


def contents_text(case: bytes, language: str) -> str:
    """Return the sentences about the contents of a case."""
    key = "case.readme_room" if read_case_data(case)["shows_room"] else "case.readme"
    pictures = ", ".join(name for name in ("before.jpg", "now.jpg") if name in members_of(case))
    return words(language)[key].format(told="case.json", pictures=pictures, game="game.pgn")


def case_to_send(case: bytes, language: str) -> bytes:
    """Return a case with sentences about its contents for the person who opens it, without the number of its game."""
    data = {name: value for name, value in read_case_data(case).items() if name != "of"}
    return with_case_data(case, data, **{README: f"{contents_text(case, language)}\n".encode()})
