"""A profile in, its report out: one HTML file to read, keep and print."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from calibration.profile import Profile, decode_jpeg, encode_jpeg
from calibration.step_texts import phrase
from calibration.steps import STEPS, check_profile, profile_lens, profile_summary
from calibration.target_views import COVERAGE_GRID
from vision.imaging.frame import Image
from vision.overlay import draw_field

RESIDUAL_MAGNIFICATION = 20  # factor by which residuals are drawn longer than they are, at a width of 1280 px
KEPT_COLOUR = "#41603c"  # colour of views that were kept: green
DROPPED_COLOUR = "#a13a24"  # colour of views that were dropped: red


def plot_residuals(
    size_px: tuple[int, int],
    errors_px: Sequence[float],
    residuals: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]] = (),
) -> str:
    """Return the errors of each view, px (NaN for a dropped one), as SVG.

    ``residuals`` adds the corners of each view and how far the fit misses them, px.
    """
    width, height = size_px
    unit, step = width / 1280, width / max(len(errors_px), 1)
    most = max((e for e in errors_px if e == e), default=1.0)
    drawn = []
    top = 0.0
    if residuals:
        times = RESIDUAL_MAGNIFICATION * unit
        arrows = "".join(
            f"M{x:.1f} {y:.1f}l{dx * times:.1f} {dy * times:.1f}"
            for places, misses in residuals
            for (x, y), (dx, dy) in zip(places, misses, strict=True)
        )
        dots = "".join(f"M{x:.1f} {y:.1f}h0" for places, _ in residuals for x, y in places)
        grid = "".join(f"M{width * k / COVERAGE_GRID[0]:.0f} 0v{height}" for k in range(1, COVERAGE_GRID[0]))
        grid += "".join(f"M0 {height * k / COVERAGE_GRID[1]:.0f}h{width}" for k in range(1, COVERAGE_GRID[1]))
        drawn.append(f'<rect width="{width}" height="{height}" rx="{12 * unit:.0f}" fill="#8882"/>')
        drawn.append(f'<path d="{grid}" stroke="#8886" fill="none"/>')
        drawn.append(f'<path d="{dots}" stroke="{KEPT_COLOUR}" stroke-width="{11 * unit:.0f}"/>')
        drawn.append(f'<path d="{arrows}" stroke="{DROPPED_COLOUR}" stroke-width="{4 * unit:.0f}" fill="none"/>')
        top = float(height)
    for k, error in enumerate(errors_px):
        is_dropped = error != error
        high = 2 * unit if is_dropped else max(2 * unit, 120 * unit * error / max(most, 1e-9))
        drawn.append(
            f'<rect x="{(k + 0.15) * step:.1f}" y="{top + 190 * unit - high:.1f}" width="{0.7 * step:.1f}" '
            f'height="{high:.1f}" rx="{4 * unit:.1f}" fill="{DROPPED_COLOUR if is_dropped else KEPT_COLOUR}"/>'
        )
        text = "–" if is_dropped else f"{error:.2f}"
        drawn.append(f'<text x="{(k + 0.5) * step:.1f}" y="{top + 222 * unit:.1f}" fill="currentColor">{text}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + 240 * unit:.0f}" '
        f'font-family="sans-serif" font-size="{32 * unit:.0f}" text-anchor="middle" stroke-linecap="round">'
        + "".join(drawn)
        + "</svg>"
    )


def report_html(profile: Profile, language: str) -> str:
    """Return the report as a page that needs nothing but itself."""
    title = phrase("report.title", language, name=profile.name)
    say = [page_start(title, language), f"<p class=sum>{escape(profile_summary(profile)[language])}</p>"]
    say.append(
        f"<p class=when>{escape(phrase('report.when', language, when=profile.saved[:16].replace('T', ' ') or '–'))}</p>"
    )
    lines = check_profile(profile)
    for step in STEPS:
        inside = [line for line in lines if line.step == step]
        if not inside:
            continue
        say.append(f"<section><h2>{escape(phrase(f'step.{step}', language))}</h2><ul>")
        say += [f"<li class={line.grade}>{escape(line.texts[language])}</li>" for line in inside]
        say.append("</ul>")
        say += _pictures(profile, step, language)
        say.append("</section>")
    return "".join(say) + "\n"


def _pictures(profile: Profile, step: str, language: str) -> list[str]:
    if step == "field" and profile.field is not None:
        painted = draw_field(decode_jpeg(profile.field.jpeg), profile.field.field)
        return [figure_html(painted, phrase("report.field", language))]
    if step == "stones" and profile.stones is not None:
        return [figure_html(decode_jpeg(profile.stones.jpeg), phrase("report.stones", language))]
    lens = profile_lens(profile)
    if step == "lens" and lens is not None and profile.lens is not None:
        rows = [
            ("fx, fy", f"{lens.matrix[0, 0]:.1f}, {lens.matrix[1, 1]:.1f} px"),
            ("cx, cy", f"{lens.matrix[0, 2]:.1f}, {lens.matrix[1, 2]:.1f} px"),
            ("k1, k2, p1, p2, k3", ", ".join(f"{k:.4f}" for k in lens.distortion)),
            ("rms", f"{profile.lens.rms_px:.3f} px"),
        ]
        cells = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows)
        drawn = plot_residuals(lens.size_px, profile.lens.errors_px)
        caption = escape(phrase("report.errors", language))
        out = [f"<table>{cells}</table><figure>{drawn}<figcaption>{caption}</figcaption></figure>"]
        if profile.field is not None and profile.field.size_px == lens.size_px:
            out.append(figure_html(lens.undistorted(decode_jpeg(profile.field.jpeg)), phrase("report.lens", language)))
        return out
    return []


def page_start(title: str, language: str, kind: str = "report") -> str:
    """Return the beginning of a page that needs nothing but itself; ``kind`` is the class of its body."""
    title, style = escape(title), files("calibration").joinpath("report.css").read_text(encoding="utf-8")
    return (
        f"<!doctype html><html lang={language}><meta charset=utf-8>"
        f"<meta name=viewport content='width=device-width, initial-scale=1'><title>{title}</title>"
        f"<style>{style}</style><body class='{kind}'><h1>{title}</h1>"
    )


def figure_html(bgr: Image, caption: str) -> str:
    """Return a picture with its caption, all in the text."""
    data = base64.b64encode(encode_jpeg(np.ascontiguousarray(bgr))).decode("ascii")
    return (
        f"<figure><img alt='' src='data:image/jpeg;base64,{data}'><figcaption>{escape(caption)}</figcaption></figure>"
    )
