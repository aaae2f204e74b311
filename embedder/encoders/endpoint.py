"""One request to a server that encodes, over the embeddings interface of OpenAI, and its retries.

It is asked over plain HTTP(S) with a connection a request: requests are few and large. Proxies that
the environment names are not used. The key is in the request's header and nowhere else.
"""

from __future__ import annotations

import email.utils
import http.client
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import tenacity
from tenacity.nap import sleep_using_event

from embedder.errors import BadSetting, EndpointError, TextRefused

_RETRIED: Final = {408, 409, 425, 429, 500, 502, 503, 504}
_ABOUT_THE_TEXT: Final = {400, 413, 422}
_LONGEST_OWN_WAIT_S: Final = 60.0
_SHOWN_CHARACTERS: Final = 200
_KEY_HIDDEN: Final = "[key]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an endpoint is asked again.

    Attributes:
        attempts: Of one request, the first included (count).
        first_wait_s: After the first failure; it doubles with each up to a minute, and some chance
            is added. A server's Retry-After goes before it.
        longest_wait_s: A server that asks for more is not asked again.
        timeout_s: Of one attempt, between two signs of life (seconds).
    """

    attempts: int = 8
    first_wait_s: float = 1.0
    longest_wait_s: float = 600.0
    timeout_s: float = 300.0


class _Again(Exception):
    """An attempt failed in a way that may pass."""

    def __init__(self, found: str, after_s: float | None = None) -> None:
        super().__init__(found, after_s)
        self.found, self.after_s = found, after_s


class Endpoint:
    """A server and one of its models."""

    def __init__(self, url: str, model: str, *, key: str | None, patience: Patience) -> None:
        """Name them; nothing is asked yet.

        Args:
            url: Up to and without `/embeddings`, such as `http://127.0.0.1:8000/v1`.
            model: As the server calls it.
            key: Sent as a bearer token; None for none.
            patience: How long to ask again.

        Raises:
            BadSetting: The URL is none.
        """
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query:
            raise BadSetting("url", f"{url!r}", "give one such as http://127.0.0.1:8000/v1")
        if "@" in parts.netloc:
            raise BadSetting("url", "it holds a password", "name the variable of a key instead")
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._model, self._key, self._patience = model, key, patience
        self._secure = parts.scheme == "https"
        self._place = (parts.hostname, parts.port)
        self._path = f"{parts.path.rstrip('/')}/embeddings"

    def embed(self, texts: Sequence[str], stop: Event) -> npt.NDArray[np.float32]:
        """Vectors of texts, in their order; shape (texts, dim), finite.

        Args:
            texts: At least one.
            stop: When it is set, nothing is asked again.

        Raises:
            TextRefused: The server says that it cannot take these texts.
            EndpointError: It does not answer, or not as it should.
        """
        waits = self._patience
        asking = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Again),
            stop=tenacity.stop_after_attempt(waits.attempts) | tenacity.stop_when_event_set(stop),
            wait=self._wait,
            sleep=sleep_using_event(stop),
            reraise=True,
        )
        try:
            answer = asking(self._ask, texts)
        except _Again as last:
            raise EndpointError(
                self.address,
                f"{last.found}, and so {waits.attempts} times",
                "see whether it is up and not overloaded, then run again: what is done is kept",
            ) from None
        return self._checked(answer, len(texts))

    def _wait(self, state: tenacity.RetryCallState) -> float:
        patience = self._patience
        error = state.outcome.exception() if state.outcome is not None else None
        if isinstance(error, _Again) and error.after_s is not None:
            return error.after_s
        first_s = patience.first_wait_s
        doubling = tenacity.wait_exponential(multiplier=first_s, max=_LONGEST_OWN_WAIT_S)
        return doubling(state) + tenacity.wait_random(0, first_s)(state)

    def _ask(self, texts: Sequence[str]) -> object:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(*self._place, timeout=self._patience.timeout_s)
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            connection.request("POST", self._path, json.dumps(body), headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            found = str(error) or type(error).__name__
            raise _Again(self._hidden(f"it cannot be reached ({found})")) from None
        finally:
            connection.close()
        if response.status != http.HTTPStatus.OK:
            self._fail(response, content)
        return self._json(content)

    def _fail(self, response: http.client.HTTPResponse, content: bytes) -> None:
        status = response.status
        said = self._hidden(_message(content))
        found = f"it answers {status} ({said})" if said else f"it answers {status}"
        if status in _RETRIED:
            after_s = _seconds(response.getheader("Retry-After"))
            if after_s is not None and after_s > self._patience.longest_wait_s:
                fix = f"run again in {after_s:,.0f} s, as it asks: what is done is kept"
                raise EndpointError(self.address, found, fix)
            raise _Again(found, after_s)
        if status in _ABOUT_THE_TEXT:
            fix = "see that it serves an embedding model, and with what window"
            raise TextRefused(self.address, found, fix)
        raise EndpointError(self.address, found, _FIXES.get(status, "check the address"))

    def _json(self, content: bytes) -> object:
        try:
            return json.loads(content)
        except ValueError:
            start = self._hidden(content[:80].decode(errors="replace"))
            raise EndpointError(
                self.address, f"it answers with no JSON but {start!r}", "check the address"
            ) from None

    def _checked(self, answer: object, count: int) -> npt.NDArray[np.float32]:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list):
            raise self._wrong("its answer has no list `data`")
        if len(data) != count:
            raise self._wrong(f"it was asked for {count} vectors and gave {len(data)}")
        rows: dict[Any, Any] = {
            each.get("index"): each.get("embedding") for each in data if isinstance(each, dict)
        }
        if rows.keys() != set(range(count)):
            raise self._wrong(f"its vectors do not have each index from 0 to {count - 1} once")
        try:
            matrix = np.array([rows[index] for index in range(count)], dtype=np.float32)
        except (TypeError, ValueError):
            raise self._wrong("its vectors are not lists of numbers of one length") from None
        if matrix.ndim != 2 or not matrix.shape[1]:
            raise self._wrong("its vectors are not lists of numbers")
        bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
        if len(bad):
            raise self._wrong(f"vector {bad[0]} of {count} has numbers that are not finite")
        return matrix

    def _wrong(self, found: str) -> EndpointError:
        return EndpointError(
            self.address,
            f"{found} (model {self._model!r})",
            "see that the server serves an embedding model over the OpenAI interface, in a dtype "
            "that does not overflow",
        )

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, _KEY_HIDDEN) if self._key else text


_FIXES: Final = {
    401: "name the environment variable of a valid key",
    403: "name the environment variable of a key that may use the model",
    404: "check the path, which mostly ends in /v1, and the model's name",
}


def _message(content: bytes) -> str:
    """What the server says is wrong, in one line."""
    text = content.decode(errors="replace")
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return " ".join(str(found).split())[:_SHOWN_CHARACTERS]


def _seconds(header: str | None) -> float | None:
    """Of a Retry-After header: seconds, or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
