"""A loopback http camera that does what it is told: pictures, or one of the things that go wrong with cameras."""

import socket
import threading
import time
from collections.abc import Callable

import cv2
import numpy as np

from vision.imaging.frame import Image

HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"


def jpeg(bgr: Image) -> bytes:
    return bytes(np.asarray(cv2.imencode(".jpg", bgr)[1]).tobytes())


def grey(n: int) -> Image:
    """A picture that says its number by how bright it is."""
    return np.full((120, 160, 3), 20 + n % 200, np.uint8)


class BrokenCamera:
    """Serves pictures at ``fps`` until `fault` is set; the port stays its own unless the fault is "gone"."""

    def __init__(self, picture: Callable[[int], Image] = grey, fps: float = 20.0) -> None:
        self._picture, self._fps = picture, fps
        self.fault = ""
        self.n_sent = 0
        self._stop = False
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def n_callers(self) -> int:
        """How often it was called."""
        return len(self._threads) - 1

    def show(self, bgr: Image) -> None:
        """Send this picture from now on."""
        self._picture = lambda _: bgr

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def _accept(self) -> None:
        self._socket.settimeout(0.1)
        while not self._stop:
            if self.fault == "gone" and self._socket.fileno() >= 0:
                self._socket.close()
            if self._socket.fileno() < 0:
                time.sleep(0.05)
                if self.fault != "gone":
                    self._socket = socket.create_server(("127.0.0.1", self.port))
                    self._socket.settimeout(0.1)
                continue
            try:
                caller, _ = self._socket.accept()
            except OSError:
                continue
            thread = threading.Thread(target=self._serve, args=(caller,), daemon=True)
            self._threads.append(thread)
            thread.start()
        self._socket.close()

    def _serve(self, caller: socket.socket) -> None:
        with caller:
            try:
                caller.recv(4096)
                caller.sendall(HEAD)
                while not self._stop and self._send(caller):
                    time.sleep(1 / self._fps)
            except OSError:
                return

    def _send(self, caller: socket.socket) -> bool:
        data = jpeg(self._picture(self.n_sent))
        match self.fault:
            case "close" | "gone":
                return False
            case "stall":
                self._wait()
                return False
            case "garbage":
                caller.sendall(np.random.default_rng(0).bytes(50_000))
                return False
            case "half":
                caller.sendall(self._part(data[: len(data) // 2])[:-20])
                return False
        caller.sendall(self._part(data))
        self.n_sent += 1
        return True

    def _wait(self) -> None:
        while not self._stop and self.fault == "stall":
            time.sleep(0.05)

    @staticmethod
    def _part(data: bytes) -> bytes:
        return b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(data), data)

    def close(self) -> None:
        self._stop = True
        for thread in self._threads:
            thread.join(timeout=6)
