"""Sentence encoder that asks a server: any that answers as OpenAI's `/v1/embeddings` does.

vLLM, for one, serves NV-Embed's kin and most sentence-transformers models so. Several requests are
open at once, each for several texts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Final

from embedder.batch import batches
from embedder.encoders.base import Encoded, Identity, Settings, Skipped, Target
from embedder.encoders.endpoint import Endpoint, Patience
from embedder.encoders.outcome import Outcomes, by_text
from embedder.errors import BadSetting, EndpointError, TextRefused

FORM: Final = 1
_IN_FLIGHT: Final = 8
_BUDGET_CHARACTERS: Final = 32_768  # of a request: the texts' own tokens are the server's to count
_FEWEST_CHARACTERS: Final = 128  # a text counts for, so that a request has no more than 256
_SERVERS: Final = "the server's"


class ServedEncoder:
    """Encodes sentences by asking a server."""

    def __init__(
        self,
        name: str,
        url: str,
        model: str,
        settings: Settings,
        *,
        patience: Patience | None = None,
    ) -> None:
        """Ask a server for one vector, to see that it answers and how long its vectors are.

        Args:
            name: The encoder's, as the user gives it.
            url: Up to and without `/embeddings`.
            model: As the server calls it.
            settings: How to work. `batch_tokens` stands for characters here.
            patience: How long to ask again.

        Raises:
            BadSetting: A setting is the server's own to choose, or a key's variable is not set.
            EndpointError: The server does not answer as it should.
        """
        self._instruction = settings.instruction or ""
        self._budget = _budget_characters(settings)
        self._endpoint = Endpoint(url, model, key=_key(settings), patience=patience or Patience())
        first = self._endpoint.embed([f"{self._instruction}word"], Event())
        self.identity = Identity(
            encoder=name,
            unit="sentence",
            model=model,
            revision=self._endpoint.address,
            pooling=_SERVERS,
            dtype=_SERVERS,
            max_tokens=None,
            instruction=self._instruction or None,
            dim=first.shape[1],
            form=FORM,
        )

    def encode(
        self, targets: Sequence[Target], skipped: Callable[[Skipped], None] | None = None
    ) -> Iterator[list[Encoded]]:
        """Yield finished batches as they come; see `Encoder`.

        The server's tokens are not told text by text, so they are 0. A text that the server finds
        too long is skipped with what it says of it, and never cut here; a server that cuts texts
        without a word cannot be told from one that does not.
        """
        outcomes = Outcomes(self.identity.dtype, skipped)
        groups = list(by_text(outcomes.sentences(targets)).values())
        own = len(self._instruction)
        lengths = [max(_FEWEST_CHARACTERS, len(group[0].text) + own) for group in groups]
        todo = iter(batches(lengths, budget_tokens=self._budget))
        stop = Event()
        pool = ThreadPoolExecutor(_IN_FLIGHT, thread_name_prefix="embeddings")
        try:
            open_requests: set[Future[list[Encoded | tuple[Target, str]]]] = set()
            while True:
                while len(open_requests) < _IN_FLIGHT and (batch := next(todo, None)) is not None:
                    parts = [groups[row] for row in batch]
                    open_requests.add(pool.submit(self._encoded, parts, stop))
                if not open_requests:
                    return
                done, open_requests = wait(open_requests, return_when=FIRST_COMPLETED)
                for request in done:
                    if vectors := _told(request.result(), outcomes):
                        yield vectors
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Nothing is held between requests."""

    def _encoded(
        self, groups: Sequence[list[Target]], stop: Event
    ) -> list[Encoded | tuple[Target, str]]:
        """Vectors, or why there is none, of texts; a batch that is refused is cut in two."""
        texts = [f"{self._instruction}{group[0].text}" for group in groups]
        try:
            matrix = self._endpoint.embed(texts, stop)
        except TextRefused as error:
            if len(groups) == 1:
                return [(target, error.found) for target in groups[0]]
            middle = len(groups) // 2
            halves = (groups[:middle], groups[middle:])
            return [each for half in halves for each in self._encoded(half, stop)]
        if matrix.shape[1] != self.identity.dim:
            raise EndpointError(
                self._endpoint.address,
                f"its vectors had {self.identity.dim} numbers and now have {matrix.shape[1]}",
                "see that one model serves the name throughout, and run again",
            )
        return [
            Encoded(target_id=target.target_id, vector=vector, tokens=0, left_out=0)
            for group, vector in zip(groups, matrix, strict=True)
            for target in group
        ]


def _told(found: Sequence[Encoded | tuple[Target, str]], outcomes: Outcomes) -> list[Encoded]:
    vectors: list[Encoded] = []
    for each in found:
        if isinstance(each, Encoded):
            vectors.append(each)
        else:
            outcomes.skip(*each)
    return vectors


def _budget_characters(settings: Settings) -> int:
    if settings.batch_tokens is None:
        return _BUDGET_CHARACTERS
    if settings.batch_tokens < 1:
        raise BadSetting("batch tokens", f"{settings.batch_tokens}", "ask for at least 1")
    return settings.batch_tokens


def _key(settings: Settings) -> str | None:
    for setting, value, free in (
        ("device", settings.device, "auto"),
        ("dtype", settings.dtype, "auto"),
        ("pooling", settings.pooling, None),
        ("max tokens", settings.max_tokens, None),
    ):
        if value != free:
            raise BadSetting(setting, f"{value!r}", "leave it out: the server has its own")
    if settings.api_key_env is None:
        return None
    key = os.environ.get(settings.api_key_env)
    if not key:
        found = f"the environment variable {settings.api_key_env} is not set"
        raise BadSetting("api key", found, "set it to the key, or name another")
    return key
