"""How replies are made: no model, every reply is a function of what was asked.

Pure. To add a maker, write a class with `make` and name it in `MAKERS`.
Tokens are counted as four characters each, rounded up: near the truth for English prose and exact
where a test needs it, not any model's tokenizer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from probe.simulate.draws import Draw
from probe.simulate.reading import NOTHING_ASKED, answer
from probe.simulate.structured import fitting, schema_of
from probe.simulate.written import Said, title_said

_LETTERS_A_TOKEN: Final = 4
_OPTION: Final = re.compile(r"^[ \t]*\d{1,3}\. +(\S.*?)\s*$", re.MULTILINE)
_FILLER: Final = "and so it went on, "


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request to complete something, read and checked.

    Attributes:
        chat: A chat completion; else a completion of a text.
        model: The model asked for.
        text: The prompt: the texts of all messages, one a line, or the text to complete.
        choices: Replies asked for (`n`).
        max_tokens: Where a reply is cut (tokens); None is nowhere.
        logprobs: Alternatives wanted beside each token's log probability; None wants neither.
        body: The whole request, for what is not above (`seed`, `temperature`, `messages`).
    """

    chat: bool
    model: str
    text: str
    choices: int
    max_tokens: int | None
    logprobs: int | None
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """One reply.

    Attributes:
        text: What it says.
        prompt_tokens: Tokens of the prompt (count).
        reply_tokens: Tokens of the reply (count).
        finish_reason: `stop`, or `length` where it was cut.
        refused: Whether it stands where a refusal does, in a chat.
    """

    text: str
    prompt_tokens: int
    reply_tokens: int
    finish_reason: str = "stop"
    refused: bool = False


class ReplyMaker(Protocol):
    """Anything that makes replies."""

    def make(self, asked: Asked, choice: int) -> Made:
        """One of the replies asked for.

        Must depend on its arguments only: the same request gets the same reply.

        Args:
            asked: The request.
            choice: Which of its replies, from 0.
        """
        ...


class OptionMaker:
    """Picks one of the prompt's numbered options, or says a short sentence where it has none."""

    def make(self, asked: Asked, choice: int) -> Made:
        """The title of an option, drawn by the prompt's digest."""
        options = _OPTION.findall(asked.text)
        drawn = int.from_bytes(text_digest(f"{choice}\n{asked.text}")[:8], "big")
        title = options[drawn % len(options)] if options else NOTHING_ASKED
        return made(asked, in_form(asked, choice, title_said(title)))


class ReaderMaker:
    """Answers every task in the form it asks for, in JSON where the request gives a schema."""

    def make(self, asked: Asked, choice: int) -> Made:
        """An answer drawn by the prompt's digest, right or wrong as chance has it."""
        said = answer(asked.text, Draw(f"{choice}\n{asked.text}"))
        return made(asked, in_form(asked, choice, said))


class EchoMaker:
    """Replies with the prompt's digest, so that a reply can be matched with its prompt.

    It does so also where a request asks for JSON.
    """

    def make(self, asked: Asked, choice: int) -> Made:
        """`echo ` and the first 16 hex digits of the prompt's sha256, the same in every choice."""
        del choice
        return made(asked, f"echo {text_digest(asked.text).hex()[:16]}")


MAKERS: Final[Mapping[str, ReplyMaker]] = {
    "option": OptionMaker(),
    "echo": EchoMaker(),
    "reader": ReaderMaker(),
}


def padded(reply: Made, reply_tokens: int) -> Made:
    """The reply with filler below it up to a number of tokens; a longer one stays as it is."""
    missing = reply_tokens * _LETTERS_A_TOKEN - len(reply.text) - 2
    if missing <= 0 or reply.refused:
        return reply
    filler = (_FILLER * (missing // len(_FILLER) + 1))[:missing]
    return replace(reply, text=f"{reply.text}\n\n{filler}", reply_tokens=reply_tokens)


def cut(reply: Made, max_tokens: int | None) -> Made:
    """The reply, cut where it is over a number of tokens."""
    if max_tokens is None or reply.reply_tokens <= max_tokens:
        return reply
    return replace(
        reply,
        text=reply.text[: max_tokens * _LETTERS_A_TOKEN],
        reply_tokens=max_tokens,
        finish_reason="length",
    )


def token_count(text: str) -> int:
    """Tokens of a text: four characters each, rounded up."""
    return -(-len(text) // _LETTERS_A_TOKEN)


def token_texts(text: str) -> list[str]:
    """A text in its tokens."""
    return [text[at : at + _LETTERS_A_TOKEN] for at in range(0, len(text), _LETTERS_A_TOKEN)]


def text_digest(text: str) -> bytes:
    """The sha256 of a text; half a surrogate pair, which JSON may hold, counts as it stands."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def in_form(asked: Asked, choice: int, said: Said) -> str:
    """The prose of an answer, or its values as the JSON that the request asks for."""
    schema = schema_of(asked.body)
    if schema is None:
        return said.prose
    return fitting(schema, said.values, Draw(f"json\n{choice}\n{asked.text}"))


def made(asked: Asked, text: str, *, refused: bool = False) -> Made:
    """A reply of a text, with its tokens counted."""
    prompt_tokens, reply_tokens = token_count(asked.text), token_count(text)
    return Made(text=text, prompt_tokens=prompt_tokens, reply_tokens=reply_tokens, refused=refused)
