"""What endpoints tell of a prompt's tokens becomes places and log-probabilities, or a trouble."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe.providers.base import Reply
from probe.providers.likelihood_replies import Asked, Shape, read_likelihood
from probe.providers.pieces import Laid, Misfit, lay
from probe.retry import MISFIT, Trouble
from prompts.likelihood import Likelihood

Entry = tuple[int, float, int, str]
"""Id, log-probability, rank and text of a token."""


def by_id(places: list[list[Entry] | None], ids: list[int] | None = None) -> str:
    """A body as vLLM words it: each place's own token first, then the likeliest others."""
    shown = [
        place
        and {
            str(token): {"logprob": value, "rank": rank, "decoded_token": text}
            for token, value, rank, text in place
        }
        for place in places
    ]
    choice: dict[str, Any] = {
        "index": 0,
        "text": " and",
        "finish_reason": "length",
        "logprobs": None,
        "prompt_logprobs": shown,
        "token_ids": [5],
    }
    if ids is not None:
        choice["prompt_token_ids"] = ids
    usage = {"prompt_tokens": len(places), "completion_tokens": 1}
    return json.dumps({"model": "m", "choices": [choice], "usage": usage})


def by_echo(
    tokens: list[str],
    logprobs: list[float | None],
    tops: list[dict[str, float] | None] | None = None,
    **usage: int,
) -> str:
    """A body as the older completions word it."""
    lists = {"tokens": tokens, "token_logprobs": logprobs, "top_logprobs": tops, "text_offset": []}
    choice = {"index": 0, "text": "".join(tokens), "finish_reason": "length", "logprobs": lists}
    return json.dumps({"model": "m", "choices": [choice], "usage": usage})


def likelihood(
    shape: Shape, raw: str, text: str, *, top: int = 1, opens: bool | None = None, written: int = 1
) -> Likelihood:
    reply = read_likelihood(shape, raw, Asked(text=text, top=top, opens=opens, written=written))
    assert isinstance(reply, Reply), reply
    assert reply.likelihood is not None
    return reply.likelihood


def trouble(shape: Shape, raw: str, text: str) -> Trouble:
    found = read_likelihood(shape, raw, Asked(text=text, top=1))
    assert isinstance(found, Trouble), found
    return found


def test_each_token_has_its_place_id_rank_and_log_probability() -> None:
    raw = by_id(
        [None, [(7, -2.5, 31, " sat"), (8, -0.5, 1, " ran")], [(9, -0.25, 1, " down")]],
        ids=[6, 7, 9],
    )

    assert likelihood("prompt_logprobs", raw, "Cats sat down") == Likelihood(
        offsets=(0, 4, 8),
        logprobs=(None, -2.5, -0.25),
        token_ids=(6, 7, 9),
        ranks=(None, 31, 1),
    )


def test_a_token_that_the_server_puts_before_the_text_is_left_out() -> None:
    places: list[list[Entry] | None] = [None, [(6, -4.0, 900, "Cats")], [(7, -2.5, 31, " sat")]]

    for opens in (None, True):
        found = likelihood("prompt_logprobs", by_id(places, ids=[1, 6, 7]), "Cats sat", opens=opens)

        assert found == Likelihood(
            offsets=(0, 4), logprobs=(-4.0, -2.5), token_ids=(6, 7), ranks=(900, 31)
        )


def test_without_the_first_tokens_id_the_others_ids_are_those_of_no_token() -> None:
    """An older vLLM tells no ids beside; then none are given, as they would be one too few."""
    found = likelihood("prompt_logprobs", by_id([None, [(7, -2.5, 3, " sat")]]), "Cats sat")

    assert found == Likelihood(offsets=(0, 4), logprobs=(None, -2.5), ranks=(None, 3))


def test_echoed_tokens_are_read_up_to_what_was_written() -> None:
    raw = by_echo(["Cats", " sat", " and"], [None, -2.5, -1.0], prompt_tokens=2)

    assert likelihood("echo", raw, "Cats sat") == Likelihood(offsets=(0, 4), logprobs=(None, -2.5))
    assert likelihood("echo", by_echo(["<s>", "Cats", " sat"], [None, -3, -2.5]), "Cats sat",
                      written=0) == Likelihood(offsets=(0, 4), logprobs=(-3.0, -2.5))  # fmt: skip


def test_what_is_kept_of_the_body_has_no_lists_and_no_text() -> None:
    raw = by_id([None, [(7, -2.5, 31, " sat")]], ids=[6, 7])

    reply = read_likelihood("prompt_logprobs", raw, Asked(text="Cats sat", top=1))

    assert isinstance(reply, Reply)
    assert (reply.outcome, reply.text, reply.prompt_tokens) == ("ok", None, 2)
    assert json.loads(reply.raw)["choices"] == [
        {"index": 0, "text": " and", "finish_reason": "length"}
    ]


def test_mean_and_variance_over_the_likeliest_worked_by_hand() -> None:
    """Two tokens of 0.6 and 0.2: shares 3/4 and 1/4; the token itself, third, counts for nothing.

    mean = 3/4 ln 0.6 + 1/4 ln 0.2 = -0.785479...; the two lie ln 3 apart, so the variance is
    3/4 x 1/4 x (ln 3)^2 = 0.226303...
    """
    place = [(3, math.log(0.1), 3, " b"), (1, math.log(0.6), 1, " x"), (2, math.log(0.2), 2, " y")]

    found = likelihood("prompt_logprobs", by_id([None, place], ids=[0, 3]), "a b", top=2)

    assert found.means[0] is None
    assert found.means[1] == pytest.approx(-0.785479, abs=1e-6)
    assert found.variances[0] is None
    assert found.variances[1] == pytest.approx(0.226303, abs=1e-6)
    assert found.exact is False


def test_the_same_by_echo() -> None:
    top = {" x": math.log(0.6), " y": math.log(0.2), " b": math.log(0.1)}
    raw = by_echo(["a", " b"], [None, math.log(0.1)], [None, top], prompt_tokens=2)

    found = likelihood("echo", raw, "a b", top=2)

    assert found.means[1] == pytest.approx(-0.785479, abs=1e-6)
    assert found.exact is False


def test_of_the_likeliest_alone_there_is_no_mean() -> None:
    found = likelihood("prompt_logprobs", by_id([None, [(7, -2.5, 3, " b")]], ids=[1, 7]), "a b")

    assert (found.means, found.variances, found.exact) == ((), (), True)


MALFORMED: dict[str, tuple[Shape, str, str]] = {
    "no JSON": ("prompt_logprobs", "<html>", "<html>"),
    "no lists at all": ("prompt_logprobs", by_echo(["a"], [None]), "no list"),
    "nothing of the prompt": ("echo", by_echo([" c"], [-1.0], prompt_tokens=3), "none of its"),
    "null lists": (
        "echo",
        json.dumps({"choices": [{"text": "a", "logprobs": None}]}),
        "TypeError",
    ),
    "a hole": ("prompt_logprobs", by_id([None, None]), "token 1 has no log-probability"),
    "a probability over 1": ("prompt_logprobs", by_id([None, [(7, 3.0, 1, " b")]]), "is 3.0"),
    "more ids than places": ("prompt_logprobs", by_id([None], ids=[1, 2]), "2 tokens but 1"),
    "a list too short": ("echo", by_echo(["a", " b", "c"], [None]), "3 tokens but 1"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_answer_is_a_trouble_that_says_what_is_wrong(case: str) -> None:
    shape, raw, said = MALFORMED[case]

    found = trouble(shape, raw, "a b")

    assert found.kind == "malformed body"
    assert said in found.message
    assert found.perhaps_billed


def test_tokens_that_are_not_the_texts_are_named() -> None:
    raw = by_id([None, [(7, -1.0, 1, " cat")], [(8, -1.0, 1, " dog")]], ids=[6, 7, 8])

    found = trouble("prompt_logprobs", raw, "A cat sat")

    assert found.kind == MISFIT
    assert "token 3 of 3, ' dog', is not where it should be" in found.message


def test_text_that_no_token_stands_for_is_a_trouble() -> None:
    raw = by_echo(["A", " cat"], [None, -1.0], prompt_tokens=2)

    assert "text is left over after all 2 tokens" in trouble("echo", raw, "A cat sat").message


PIECES: dict[str, tuple[str, list[str | None], tuple[int, ...]]] = {
    "parts shown as unknown": ("x🎭y", ["x", "�", "�", "�", "y"], (0, 1, 1, 1, 2)),
    "parts shown as nothing": ("x🎭y", ["x", "", "", "🎭", "y"], (0, 1, 1, 1, 2)),
    "what completes a character, shown from before": ("a “b", ["a", "", " “", "b"], (0, 1, 2, 3)),
    "an end that is a part": ("é", [None, "�"], (0, 0)),
    "a part and what follows": ("é!", [None, "�!"], (0, 0)),
    "a first token that is a part": ("“a", [None, "", "a"], (0, 0, 1)),
    "a word without its space": ("the  cat sat", ["the", "", "cat", "sat"], (0, 3, 3, 8)),
    "the unknown character itself": ("a�b", ["a", "�", "b"], (0, 1, 2)),
    "nothing": ("", [], ()),
}  # fmt: skip


@pytest.mark.parametrize("case", PIECES)
def test_pieces_are_laid_over_the_text(case: str) -> None:
    text, pieces, offsets = PIECES[case]

    assert lay(text, pieces, opens=False) == Laid(offsets, 0)


def test_a_space_is_passed_over_only_where_nothing_fits_without() -> None:
    """The first token is the space; it is not taken for one before the text."""
    assert lay("  the", [None, " the"]) == Laid((0, 1), 0)


@given(st.text(alphabet="aé “🎭中\n", min_size=1, max_size=12), st.data())
def test_any_cut_of_a_texts_bytes_is_laid_back_where_it_was(text: str, data: st.DataObject) -> None:
    """Bytes cut anywhere, each piece decoded by itself, as a byte-level tokenizer shows them.

    Neighbours that are shown alike may be given each other's bytes: then what is laid still adds
    up, and its offsets do not go back.
    """
    content = text.encode()
    cuts = data.draw(st.sets(st.integers(1, len(content)), max_size=8))
    bounds = sorted({0, len(content), *cuts})
    pieces = [
        content[start:end].decode(errors="replace") for start, end in itertools.pairwise(bounds)
    ]
    whole = [len((content[:start] + b"!").decode(errors="ignore")) - 1 for start in bounds[:-1]]

    laid = lay(text, pieces, opens=False)

    assert isinstance(laid, Laid)
    assert len(laid.offsets) == len(pieces)
    assert list(laid.offsets) == sorted(laid.offsets)
    if "�" not in "".join(pieces):
        assert list(laid.offsets) == whole


@given(st.lists(st.sampled_from(["a", "b", " ", "é", "�", ""]), max_size=6))
def test_no_pieces_make_the_search_fail(pieces: list[str]) -> None:
    laid = lay("ab é", pieces)

    assert isinstance(laid, (Laid, Misfit))
