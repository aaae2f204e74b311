"""What was asked and how it ended: counts for people, a file for tests."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from pathlib import Path

from probe.simulate.errors import SettingsError
from probe.simulate.replies import text_digest


class Ledger:
    """Counts requests and, where a file is given, appends one JSON line an event to it.

    Every request that was read is `asked` once and then ends once: `answered`, when its whole
    response has been handed to the socket, or `unanswered`, when a fault broke it off or the client
    went away.
    """

    def __init__(self, record: Path | None) -> None:
        self._file = _opened(record)
        self._requests = self._unanswered = self._open = self._most_open = 0
        self._by_status: Counter[int] = Counter()
        self._by_fault: Counter[str] = Counter()
        self._tokens: Counter[str] = Counter()
        self._accepted: Counter[int] = Counter()
        self._prompts: dict[int, str | None] = {}

    @property
    def open_now(self) -> int:
        """Requests read and not ended (count)."""
        return self._open

    def asked(self, raw: bytes, prompt: str | None) -> int:
        """Note a request that has been read; return its number, from 1.

        Args:
            raw: Its body.
            prompt: The text of its prompt; None where the body has none.
        """
        self._requests += 1
        self._open += 1
        self._most_open = max(self._most_open, self._open)
        if self._file is not None:
            self._prompts[self._requests] = prompt and text_digest(prompt).hex()[:16]
            body = hashlib.sha256(raw).hexdigest()[:16]
            self._write("asked", self._requests, body=body)
        return self._requests

    def accepted(self, fault: str | None) -> None:
        """Note that the limits let a request in, and the fault it will meet."""
        self._accepted[int(time.time())] += 1
        if fault is not None:
            self._by_fault[fault] += 1

    def bought(self, prompt_tokens: int, reply_tokens: int) -> None:
        """Note the tokens of a response that was sent whole."""
        self._tokens["prompt"] += prompt_tokens
        self._tokens["reply"] += reply_tokens

    def ended(self, number: int, status: int | None, fault: str | None) -> None:
        """Note how a request ended.

        Args:
            number: Its number.
            status: Of the response that was sent whole; None where none was.
            fault: What befell it, if anything.
        """
        self._open -= 1
        if status is None:
            self._unanswered += 1
        else:
            self._by_status[status] += 1
        if self._file is not None:
            if status is None:
                self._write("unanswered", number, fault=fault)
            else:
                self._write("answered", number, status=status, fault=fault)
            del self._prompts[number]

    def _write(self, event: str, number: int, **facts: object) -> None:
        if self._file is None:
            return
        line = {"event": event, "n": number, "prompt": self._prompts[number], **facts}
        line["at"] = round(time.time(), 6)
        os.write(self._file, json.dumps(line).encode() + b"\n")  # one write: lines never mix

    def stats(self) -> bytes:
        """The counts as JSON."""
        counts = {
            "requests": self._requests,
            "by_status": self._by_status,
            "by_fault": self._by_fault,
            "unanswered": self._unanswered,
            "open": self._open,
            "most_open": self._most_open,
            "tokens": {"prompt": self._tokens["prompt"], "reply": self._tokens["reply"]},
            "accepted_by_second": self._accepted,
        }
        return json.dumps(counts).encode()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _opened(record: Path | None) -> int | None:
    if record is None:
        return None
    try:
        return os.open(record, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as error:
        raise SettingsError(
            "record", str(record), f"a file that can be written ({error.strerror})"
        ) from error
