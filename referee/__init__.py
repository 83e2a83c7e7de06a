"""The rules of the mill games: a referee without eyes. Needs nothing but Python's standard library.

A tour. A game is a value; playing makes a new one:

>>> from referee.game import Game
>>> from referee.moves import parse_move, turn_text
>>> from referee.presets import find_variant
>>> millchen = find_variant("millchen")
>>> game = Game.start(millchen)
>>> for text in ("a7", "d6", "a4", "b6", "a1"):
...     game = game.play(parse_move(text, millchen.board))

The first player has closed a mill with a1 and owes a capture; the turn is not over before it is made:

>>> game.phase, game.position.to_move, [str(move) for move in game.legal_moves]
('capture', 0, ['xb6', 'xd6'])
>>> game = game.play(parse_move("xd6", millchen.board))
>>> game.ply, str(game.turns[-1]), game.turns[-1].mills
(5, 'a1xd6', (('a1', 'a4', 'a7'),))

Whole turns, as someone sees them who looks at the table between two hands:

>>> from referee.turns import legal_turns
>>> turns = legal_turns(game.position)
>>> len(turns), str(turns[0])
(20, 'd7')

What is not allowed has reasons, all of them:

>>> from referee.fouls import violations
>>> print(*sorted(violations(game.position, parse_move("a7-b6", millchen.board))))
moved_opponent moved_while_placing not_adjacent occupied
>>> game.play(parse_move("a7", millchen.board))
Traceback (most recent call last):
...
referee.fouls.IllegalMoveError: illegal move 'a7': occupied

At the table nobody says what was done; the table just looks different. Here b6, the second player's, has gone to d3:

>>> from referee.rulings import rule_on
>>> seen = list(game.position.tops)
>>> seen[millchen.board.index["b6"]], seen[millchen.board.index["d3"]] = 0, 2
>>> ruling = rule_on(game.position, seen)
>>> ruling.kinds, ruling.player
(('moved_while_placing', 'not_adjacent'), 1)

and in words, in four languages:

>>> from referee.announce import sentence
>>> from referee.events import FoulSeen
>>> foul = FoulSeen(ruling.player, ruling.kinds[0], ruling.points, game.position.tops, tuple(seen), 12.5, 375)
>>> for language in ("en", "de"):
...     print(sentence(foul, language, ("red", "grey")))
Foul by Grey: a stone was moved while stones are still being placed. Please move the grey stone from d3 back to b6.
Regelverstoß von Grau: gezogen, obwohl noch gesetzt wird. Stell bitte den grauen Stein von d3 nach b6 zurück.

Every game is data, and so is what a table may choose; someone's own game is one file more in ``games/``:

>>> find_variant("moulin_rouge", players=3).board.points[:3]
('o1', 'o2', 'o3')
>>> find_variant("millchen", fly="sometimes")
Traceback (most recent call last):
...
ValueError: option 'fly' must be one of off, own, both, any, got 'sometimes'

A game becomes text, and the text the same game again:

>>> from referee.record import GameRecord, to_pgn
>>> from referee.record_files import read_records
>>> record = GameRecord(game, (("White", "Anna"), ("Black", "Ben")))
>>> read_records(to_pgn(record)) == (record,)
True
"""
