"""A profile in, its report out: one HTML file to read, keep and print."""

from __future__ import annotations

import base64
from html import escape
from importlib.resources import files

import numpy as np

from calibration.lens_calibration import LensMeasurement
from calibration.profile import Profile, decode_jpeg, encode_jpeg
from calibration.step_texts import phrase
from calibration.steps import STEPS, check_profile, profile_lens, profile_summary
from calibration.target_views import COVERAGE_GRID
from vision.imaging.frame import Image
from vision.overlay import draw_field

RESIDUAL_MAGNIFICATION = 20  # factor by which residuals are drawn longer than they are, at a width of 1280 px
BAR_SHARE = 0.7  # width of a bar, share of its place
USED_COLOUR = "#41603c"  # colour of views that were used: green
DROPPED_COLOUR = "#a13a24"  # colour of views that were dropped: red


def plot_residuals(lens: LensMeasurement) -> str:
    """Return the errors of each view as SVG, below the corners of the views where their residuals are known."""
    width, height = lens.lens.size_px
    unit, step = width / 1280, width / max(len(lens.errors_px), 1)
    most = max((error for error in lens.errors_px if error is not None), default=1.0)
    top = height if lens.residuals else 0
    bars = []
    for k, error in enumerate(lens.errors_px):
        high = unit * max(2.0, 120 * (error or 0.0) / max(most, 1e-9))
        left, wide = (k + (1 - BAR_SHARE) / 2) * step, BAR_SHARE * step
        bars.append(
            f'<rect x="{left:.1f}" y="{top + 190 * unit - high:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'rx="{4 * unit:.1f}" fill="{DROPPED_COLOUR if error is None else USED_COLOUR}"/>'
            f'<text x="{(k + 0.5) * step:.1f}" y="{top + 222 * unit:.1f}" fill="currentColor">'
            f"{'–' if error is None else f'{error:.2f}'}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top + 240 * unit:.0f}" '
        f'font-family="sans-serif" font-size="{32 * unit:.0f}" text-anchor="middle" stroke-linecap="round">'
        f"{_plot_corners(lens) if lens.residuals else ''}{''.join(bars)}</svg>"
    )


def _plot_corners(lens: LensMeasurement) -> str:
    """Return the corners in the picture, each with an arrow as the fit misses it, and the map of its parts."""
    (width, height), (columns, rows) = lens.lens.size_px, COVERAGE_GRID
    unit = width / 1280
    places, misses = (np.concatenate(part).tolist() for part in zip(*lens.residuals, strict=True))
    times = RESIDUAL_MAGNIFICATION * unit
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    arrows = "".join(
        f"M{x:.1f} {y:.1f}l{dx * times:.1f} {dy * times:.1f}" for (x, y), (dx, dy) in zip(places, misses, strict=True)
    )
    grid = "".join(f"M{width * k / columns:.0f} 0v{height}" for k in range(1, columns))
    grid += "".join(f"M0 {height * k / rows:.0f}h{width}" for k in range(1, rows))
    return (
        f'<rect width="{width}" height="{height}" rx="{12 * unit:.0f}" fill="#8882"/>'
        f'<path d="{grid}" stroke="#8886" fill="none"/>'
        f'<path d="{dots}" stroke="{USED_COLOUR}" stroke-width="{11 * unit:.0f}"/>'
        f'<path d="{arrows}" stroke="{DROPPED_COLOUR}" stroke-width="{4 * unit:.0f}" fill="none"/>'
    )


def report_html(profile: Profile, language: str) -> str:
    """Return the report as a page that needs nothing but itself."""
    title, when = phrase("report.title", language, name=profile.name), profile.saved[:16].replace("T", " ") or "–"
    say = [page_start(title, language), f"<p class=sum>{escape(profile_summary(profile)[language])}</p>"]
    say.append(f"<p class=when>{escape(phrase('report.when', language, when=when))}</p>")
    lines = check_profile(profile)
    for step in STEPS:
        inside = [f"<li class={line.grade}>{escape(line.texts[language])}</li>" for line in lines if line.step == step]
        if inside:
            say.append(f"<section><h2>{escape(phrase(f'step.{step}', language))}</h2><ul>{''.join(inside)}</ul>")
            say += [*_pictures(profile, step, language), "</section>"]
    return "".join(say) + "\n"


def _pictures(profile: Profile, step: str, language: str) -> list[str]:
    if step == "field" and profile.field is not None:
        picture = draw_field(decode_jpeg(profile.field.jpeg), profile.field.field)
        return [figure_html(picture, phrase("report.field", language))]
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
        caption = escape(phrase("report.errors", language))
        out = [
            f"<table>{cells}</table><figure>{plot_residuals(profile.lens)}<figcaption>{caption}</figcaption></figure>"
        ]
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
