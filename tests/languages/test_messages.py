"""An error keeps its key and values, wherever it goes, and is said in any language at the end."""

import copy
import json
import multiprocessing
import pickle

import pytest

from languages import LANGUAGES, Message, in_all_languages, message, message_of, translated

HIDDEN = message("sight.covered", place=message("place.upper_left_part"), percent=34)
ENGLISH = "something hides the upper left part of what may be a board, 34 % of it: take it away"


def test_a_message_is_its_english_sentence() -> None:
    assert ENGLISH == HIDDEN
    assert hash(HIDDEN) == hash(ENGLISH)
    assert json.dumps({"reason": HIDDEN}) == json.dumps({"reason": ENGLISH})
    assert f"{HIDDEN}" == repr(HIDDEN)[1:-1] == ENGLISH


def test_what_fills_its_places_is_translated_too_or_kept() -> None:
    assert HIDDEN.translated("fr") == (
        "quelque chose cache la partie en haut à gauche de ce qui pourrait être un plateau, 34 %\u00a0: retirez cela"
    )
    missing = message("source.no_file", name=repr("x.mp4"))
    assert missing == "there is no file 'x.mp4': name a video, a camera number or an address"
    assert missing.translated("de") == ("es gibt keine Datei 'x.mp4': nenn ein Video, eine Kamera oder eine Adresse")
    assert message("game.already", point="{n}").translated("lb") == "dat hunn ech schonn op {n}"


def test_any_other_text_stays_as_it_is() -> None:
    assert translated("something new {1}", "lb") == "something new {1}"
    assert in_all_languages("") == {}
    assert in_all_languages("odd") == dict.fromkeys(LANGUAGES, "odd")


def test_a_message_gets_through_a_pipe_and_a_copy() -> None:
    ours, theirs = multiprocessing.Pipe()
    theirs.send(HIDDEN)
    for same in (ours.recv(), copy.deepcopy(HIDDEN), pickle.loads(pickle.dumps(HIDDEN))):
        assert isinstance(same, Message)
        assert (same, same.key) == (ENGLISH, "sight.covered")
        assert same.translated("de") == HIDDEN.translated("de")
    ours.close()
    theirs.close()


def test_an_error_gives_its_message_back() -> None:
    assert message_of(ValueError(HIDDEN)) is HIDDEN
    assert str(ValueError(HIDDEN)) == ENGLISH
    assert message_of(ValueError("odd", 3)) == "('odd', 3)"
    assert message_of(StopIteration()) == ""


def test_a_key_that_nobody_knows_is_a_mistake_of_the_program() -> None:
    with pytest.raises(KeyError):
        message("game.nonsense")
    with pytest.raises(KeyError):
        message("game.already")
