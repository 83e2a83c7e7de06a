"""Tables drawn by a program, with the exact truth beside every picture: for tests, benchmarks and simulated games.

>>> import numpy as np
>>> from referee.layouts import NINE_MENS_MORRIS
>>> rng = np.random.default_rng(7)
>>> scene = Scene(random_spec(rng, NINE_MENS_MORRIS, size_px=(640, 360)))
>>> bgr, truth = scene.render([[0], [1], *[[]] * 22], rng=rng)
>>> bgr.shape, truth.tops[:3], truth.points_px.shape
((360, 640, 3), (1, 2, 0), (24, 2))
"""

from tests.synthetic.film import Script, Shot, film
from tests.synthetic.ground import Nudge
from tests.synthetic.hand import Cup, Hand
from tests.synthetic.scene import Scene
from tests.synthetic.spec import Light, Paint, Placing, Strokes, Surface, TableSpec, random_light, random_spec
from tests.synthetic.stones import Stone
from tests.synthetic.truth import Truth, cut_off, scattered, stacks_of
from tests.synthetic.viewpoint import Bump

__all__ = [
    "Bump", "Cup", "Hand", "Light", "Nudge", "Paint", "Placing", "Scene", "Script", "Shot", "Stone", "Strokes",
    "Surface", "TableSpec", "Truth", "cut_off", "film", "random_light", "random_spec", "scattered", "stacks_of",
]  # fmt: skip
