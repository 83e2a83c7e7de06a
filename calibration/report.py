"""A profile in, its report out: one HTML file to read, keep and print."""

from __future__ import annotations

import base64
from html import escape
from importlib.resources import files

import numpy as np

from calibration.lens_calibration import LensMeasurement
from calibration.profile import Profile, encode_jpeg
from calibration.step_texts import phrase
from calibration.steps import STEPS, check_profile, profile_summary
from vision.imaging.cv import decoded
from vision.imaging.frame import Image
from vision.overlay import draw_field

USED_COLOUR = "#41603c"  # colour of views that were used: green
DROPPED_COLOUR = "#a13a24"  # colour of views that were dropped: red


def plot_errors(lens: LensMeasurement) -> str:
    """Return the error of each view of a lens as SVG, a bar each."""
    most = max((error for error in lens.errors_px if error is not None), default=1.0)
    bars = []
    for k, error in enumerate(lens.errors_px):
        left, high = 100 * k, max(2.0, 120 * (error or 0.0) / max(most, 1e-9))
        bars.append(
            f'<rect x="{left + 15}" y="{130 - high:.1f}" width="70" height="{high:.1f}" rx="4" '
            f'fill="{DROPPED_COLOUR if error is None else USED_COLOUR}"/><text x="{left + 50}" y="162" '
            f'fill="currentColor">{"–" if error is None else f"{error:.2f}"}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {100 * len(lens.errors_px)} 180" '
        f'font-family="sans-serif" font-size="26" text-anchor="middle">{"".join(bars)}</svg>'
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
        picture = draw_field(decoded(profile.field.jpeg), profile.field.field)
        return [figure_html(picture, phrase("report.field", language))]
    if step == "stones" and profile.stones is not None:
        return [figure_html(decoded(profile.stones.jpeg), phrase("report.stones", language))]
    lens = profile.known_lens
    if step == "lens" and lens is not None and profile.lens is not None:
        caption = escape(phrase("report.errors", language))
        out = [f"<figure>{plot_errors(profile.lens)}<figcaption>{caption}</figcaption></figure>"]
        if profile.field is not None and profile.field.size_px == lens.size_px:
            out.append(figure_html(lens.undistorted(decoded(profile.field.jpeg)), phrase("report.lens", language)))
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
