"""The pages that tell where each game comes from: its history, its names, and the sources of both."""

from __future__ import annotations

from collections.abc import Mapping

from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from languages import catalogue
from referee.presets import PRESETS
from web.drawing.board_svg import draw_board
from web.net.roles import VIEWER, Route
from web.table.offered_games import game_rules, has_story
from web.views.table_page import render_page, request_language

TITLES: Mapping[str, str] = {
    "alfonso": "Alfonso X: Libro de los juegos, Sevilla 1283",
    "bell": "R. C. Bell: Board and Table Games from Many Civilizations, Oxford 1960",
    "berger": "F. Berger: From Circle and Square to the Image of the World, Rock Art Research 21, 2004",
    "board_and_pieces": "Board and Pieces, sites.google.com/site/boardandpieces",
    "boyerahmad": "boyerahmad.com: دوز",
    "cgie": "مرکز دائرة المعارف بزرگ اسلامی: دوزبازی, cgie.org.ir 246682",
    "cnrtl": "CNRTL: marelle, cnrtl.fr",
    "culin": "S. Culin: Philippine Games, American Anthropologist 2, 1900, p. 648",
    "cyningstan": "Traditional Board Games, cyningstan.com",
    "datta": "J. Datta: A Few Types of Sedentary Games of Lower Bengal, Journal of the Asiatic Society of Bengal, 1933",
    "de_clercq": "D. De Clercq: 5-6-7 Men's Morris, puzzles.net23.net",
    "fiske": "W. Fiske: Chess in Iceland and in Icelandic Literature, Florence 1905, pp. 108, 127",
    "gasser": "R. Gasser: Nine Men's Morris is a Draw, rec.games.abstract, 1993",
    "gevay": "G. E. Gévay, G. Danner: Ultra-Strong and Extended Solutions for Nine Men's Morris, 2014, arXiv:1408.0032",
    "gomme": "A. B. Gomme: The Traditional Games of England, Scotland, and Ireland, London 1894",
    "historiettes": "Histoire et historiettes: Marelle, histoire-et-historiettes.ch",
    "isna": "ISNA: دوز بازی, 2020, isna.ir 99011306585",
    "jak": "The House That Jak Built: Shax, housethatjakbuilt.com",
    "koinonia": "Cardboard Koinonia: Board Game History: Shax, 2017, cardboardkoinonia.ca",
    "lasker": "Em. Lasker: Brettspiele der Völker, Berlin 1931",
    "ludii": "Ludii Portal, ludii.games",
    "murray": "H. J. R. Murray: A History of Board-Games Other Than Chess, Oxford 1952",
    "nwu": "North-West University: Joseph's abracadabra, 2018, nwu.ac.za",
    "brand_sa": "Brand South Africa: Morabaraba? Get on Board!, 2002, brandsouthafrica.com",
    "ovid": "Ovidius: Ars amatoria III 365–366",
    "parker": "H. Parker: Ancient Ceylon, London 1909, pp. 577–580",
    "pollard": "G. Pollard: games.porg.es",
    "printplay": "Мельница: сетка, printplay.ru",
    "sanmill": "Sanmill, github.com/calcitem/Sanmill",
    "schaedler_2018": "U. Schädler: Encore sur la « marelle ronde » : cent ans après Carl Blümlein, Kentron 2018",
    "schaedler_2021": "U. Schädler: Some Misconceptions about Ancient Roman Games, Board Game Studies Journal 15, 2021",
    "shakespeare": "W. Shakespeare: A Midsummer Night's Dream II.1",
    "singmaster": "D. Singmaster: Sources in Recreational Mathematics, 4.B",
    "trip_to_rome": "Board Game Blog: A Trip to Rome, 2010, boardgameblog.wordpress.com",
    "universalis": "Encyclopædia Universalis: Marelle",
    "waterloo": "University of Waterloo, Museum of Games: Row Games",
    "wikipedia": "Wikipedia",
    "zillions": "Zillions of Games: Lasker Morris, zillions-of-games.com",
}
"""Titles of the sources by a short name; what begins with "sheet" has its title in ``story.json``."""

SOURCES: Mapping[str, tuple[str, ...]] = {
    "tic_tac_toe": ("sheet_cloth", "singmaster", "schaedler_2021"),
    "millchen": ("sheet_cloth",),
    "nine_mens_morris": (
        *("sheet_nine", "alfonso", "shakespeare", "murray", "berger", "schaedler_2021", "gasser"),
        *("universalis", "historiettes", "cnrtl"),
    ),
    "three_mens_morris": ("sheet_nine", "ovid", "alfonso", "murray", "singmaster", "schaedler_2021", "universalis"),
    "five_mens_morris": ("cyningstan", "singmaster", "gomme", "de_clercq"),
    "six_mens_morris": ("murray", "cyningstan", "board_and_pieces", "ludii"),
    "seven_mens_morris": ("de_clercq",),
    "eleven_mens_morris": ("singmaster", "board_and_pieces"),
    "twelve_mens_morris": ("fiske", "singmaster", "board_and_pieces", "ludii"),
    "morabaraba": ("pollard", "brand_sa", "nwu", "gevay"),
    "lasker_morris": ("lasker", "zillions", "gevay"),
    "roman_mill": ("sheet_roman", "schaedler_2018", "schaedler_2021", "berger", "trip_to_rome"),
    "moulin_rouge": ("sheet_moulin_rouge",),
    "trialectic": ("sheet_trialectic",),
    "achi": ("bell", "cyningstan", "murray", "ludii", "schaedler_2021"),
    "tapatan": ("culin", "waterloo", "ludii"),
    "tant_fant": ("datta", "ludii", "wikipedia"),
    "nine_holes": ("murray", "waterloo", "cyningstan", "gomme", "wikipedia"),
    "picaria": ("ludii", "wikipedia"),
    "dooz": ("cgie", "isna", "boyerahmad", "sanmill"),
    "nerenchi": ("parker", "schaedler_2021", "ludii", "sanmill"),
    "shax": ("pollard", "jak", "koinonia"),
    "one_time_mill": ("printplay", "sanmill"),
}
"""The sources of each story, by the name of its game."""

NAMES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "tic_tac_toe": (
        ("en", "noughts and crosses"),
        ("fr", "morpion"),
        ("nl", "tik tak tol"),
        ("sv", "tripp trapp trull"),
    ),
    "millchen": (("lb", "Millchen"), ("de", "Mühle"), ("fr", "jeu du moulin"), ("en", "nine men's morris")),
    "nine_mens_morris": (
        ("en", "merels, merrills, mill"),
        ("de", "Mühle"),
        ("fr", "jeu du moulin, marelle"),
        ("es", "alquerque de nueve"),
        ("it", "mulinello"),
        ("nl", "molenspel"),
        ("da", "møllespil"),
        ("sv", "qvarn"),
        ("is", "mylna"),
        ("cs", "mlýn"),
        ("hu", "malom"),
        ("ru", "мельница"),
    ),
    "three_mens_morris": (
        ("en", "smaller merels, three-penny morris"),
        ("fr", "marelle de trois"),
        ("es", "alquerque de tres"),
        ("zh", "luk tsut k'i"),
    ),
    "five_mens_morris": (("en", "five-penny morris, five-pin morris"),),
    "six_mens_morris": (("fr", "mérelle à six tables"), ("it", "smerelli")),
    "eleven_mens_morris": (("en", "eleven-penny madell"),),
    "twelve_mens_morris": (("sv", "dubbel-qvarn"), ("mn", "jirig"), ("zh", "sam k'i"), ("ko", "kon-tjil")),
    "lasker_morris": (("de", "Lasker-Mühle"), ("en", "ten men's morris")),
    "roman_mill": (("de", "Rundmühle"), ("fr", "marelle ronde"), ("it", "mulinello")),
    "achi": (("yo", "akidada"),),
    "tant_fant": (("bn", "tant-fant, tin guti pait pait"),),
    "picaria": (("es", "pitarilla"),),
    "dooz": (("fa", "دوز"),),
    "nerenchi": (("si", "nerenchi keliya"),),
    "shax": (("so", "shax, jare, jar"),),
    "one_time_mill": (("ru", "мельница"),),
}
"""What a game is called in other languages: code of the language and name, as the sources write it."""


def story_page(game: str) -> ResponseReturnValue:
    """Answer GET /story/GAME: where a game comes from."""
    if not has_story(game):
        raise NotFound("there is no story of this game")
    language = request_language()
    story = catalogue(language, "story")
    return render_page(
        "story.html",
        game=game,
        told=story["told"][game],
        names=[(code, story["languages"][code], name) for code, name in NAMES.get(game, ())],
        sources=[story["sheets"].get(source) or TITLES[source] for source in SOURCES[game]],
        rules=game_rules(game, {}, language)["sentences"],
        drawing=draw_board(PRESETS[game].variant.board),
        others=[other for other in PRESETS if has_story(other)],
    )


STORY_ROUTES = (Route("/story/<game>", "GET", VIEWER, story_page),)
