"""An address in, the newest still of its camera, a copy of its film, or the reason why it shows nothing out."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPResponse
from io import DEFAULT_BUFFER_SIZE
from pathlib import Path
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    HTTPSHandler,
    build_opener,
)

from languages import Message, message
from vision.capture.addresses import without_secrets
from vision.capture.pictures import MAX_PIXELS, decode_picture, jpeg_of
from vision.imaging.frame import Image, JpegPicture

CAMERA_TIMEOUT_MS = 2500
"""Longest wait for a network camera, to open or for a frame, ms; by default a stalled one blocks OpenCV for 30 s."""

MAX_FILM_BYTES = 2_000_000_000
"""Most bytes of a film from elsewhere."""

_MISSING = (404, 410, 454)  # no such address. Source: RFC 9110, RFC 2326 (454)
_REFUSED = (401, 403, 407)  # Source: RFC 9110
_RTSP_PORT = 554  # Source: RFC 2326


def still_picture(address: str) -> Image | JpegPicture | None:
    """Return the picture that a camera of stills shows now; None where this address has no picture."""
    with suppress(OSError, ValueError, HTTPException), _answer(address) as answer:
        if answer.headers.get_content_maintype() == "image":
            data = answer.read(MAX_PIXELS // 2)  # a byte for every two pixels
            return jpeg_of(data) or decode_picture(data)
    return None


def film_copy(address: str, folder: Path) -> Path:
    """Return the place of a copy of the film at an address; it is cut off where it is larger than films may be."""
    target, n_bytes_left = folder / "film", MAX_FILM_BYTES
    with suppress(OSError, ValueError, HTTPException), target.open("wb") as file, _answer(address) as answer:
        while n_bytes_left > 0 and (piece := answer.read(min(n_bytes_left, DEFAULT_BUFFER_SIZE))):
            n_bytes_left -= file.write(piece)
    return target


def why_no_answer(address: str) -> Message:
    """Return why an address shows nothing, as a sentence that says what to do."""
    name = repr(without_secrets(address))
    reasons = [no_answer := message("source.no_answer", name=name)]
    # Each letter of an answer has its own time limit, and all of them together have this one.
    asking = Thread(target=lambda: reasons.append(_reason(name, address) or no_answer), daemon=True)
    asking.start()
    asking.join(2 * CAMERA_TIMEOUT_MS / 1000)
    return reasons[-1]


def _reason(name: str, address: str) -> Message | None:
    try:
        if address.startswith("rtsp:"):
            return _of_status(name, address, *_rtsp_status(address))
        with _answer(address) as answer:
            what = answer.headers.get_content_type()
    except HTTPError as why:
        return _of_status(name, address, why.code, why.reason)
    except URLError as why:
        if isinstance(why.reason, ssl.SSLError):
            return message("source.insecure", name=name, why=why.reason.reason)
        return None
    except (OSError, ValueError, HTTPException):
        return None
    if what in ("text/html", "application/xhtml+xml"):
        return message("source.web_page", name=name)
    return message("source.no_pictures", name=name, what=what)


def _of_status(name: str, address: str, status: int, reason: str) -> Message:
    if status in _REFUSED:
        has_name = "@" in urlsplit(address).netloc
        return message("source.wrong_password" if has_name else "source.password", name=name)
    if status in _MISSING:
        return message("source.no_address", name=name)
    if status < 400:
        return message("source.no_answer" if status < 300 else "source.circle", name=name)
    return message("source.status", name=name, why=f"{status} {reason}".strip())


@contextmanager
def _answer(address: str) -> Iterator[HTTPResponse]:
    """What a web address answers; its name and password go nowhere else, and as with the stream anybody's word counts.

    Cameras sign their certificates themselves.
    """
    parts = urlsplit(address)
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    passwords, context = HTTPPasswordMgrWithDefaultRealm(), ssl.create_default_context()
    passwords.add_password(None, plain, unquote(user), unquote(password))
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    log_in = HTTPDigestAuthHandler(passwords), HTTPBasicAuthHandler(passwords)
    opener = build_opener(HTTPSHandler(context=context), *(log_in if user else ()))
    with opener.open(plain, timeout=CAMERA_TIMEOUT_MS / 1000) as answer:
        yield answer


def _rtsp_status(address: str) -> tuple[int, str]:
    """Return the status of a camera's answer to a description of an address, without a password."""
    parts = urlsplit(address)
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    place = parts.hostname or "", parts.port or _RTSP_PORT
    with socket.create_connection(place, CAMERA_TIMEOUT_MS / 1000) as camera:
        camera.sendall(f"DESCRIBE {plain} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n".encode())
        answer = re.match(rb"RTSP/1\.\d (\d{3}) ?([^\r\n]*)", camera.recv(4096))
    if answer is None:
        raise ValueError("this is no RTSP")
    return int(answer[1]), answer[2].decode("latin-1")
