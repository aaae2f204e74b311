"""Words in context, on a T5 encoder of the real architecture with random weights."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch", reason="needs the `embed` extra")
pytest.importorskip("transformers", reason="needs the `embed` extra")

from transformers import (  # noqa: E402
    AutoTokenizer,
    PreTrainedTokenizerFast,
    T5EncoderModel,
)

from embedder.encoders import Encoded, Settings, Skipped, Target, make  # noqa: E402
from embedder.encoders.windows import window_start  # noqa: E402
from embedder.encoders.words import WordEncoder  # noqa: E402
from embedder.errors import BadSetting, CannotEncode  # noqa: E402
from tests.embedder.models_for_tests import make_t5  # noqa: E402

Floats = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_t5(tmp_path_factory.mktemp("t5"))


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    found = AutoTokenizer.from_pretrained(folder)
    assert isinstance(found, PreTrainedTokenizerFast)
    return found


@pytest.fixture(scope="module")
def hidden(folder: Path, tokenizer: PreTrainedTokenizerFast) -> Callable[[str], Floats]:
    """What the model itself makes of each token of one text, run alone and without padding."""
    model = T5EncoderModel.from_pretrained(folder)

    def run(text: str) -> Floats:
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            found: Floats = model(input_ids=ids).last_hidden_state[0].numpy()
        return found

    return run


@pytest.fixture
def own(folder: Path) -> Iterator[WordEncoder]:
    encoder = make(f"word:{folder}", settings=Settings(device="cpu"))
    assert isinstance(encoder, WordEncoder)
    yield encoder
    encoder.close()


def word(text: str, wanted: str, occurrence: int = 1) -> Target:
    """The target for one occurrence of some letters in a text, counted from 1."""
    found = [match.span() for match in re.finditer(re.escape(wanted), text)][occurrence - 1]
    return Target(target_id=f"{text}|{found}", text=text, start=found[0], end=found[1])


def encoded(encoder: WordEncoder, *targets: Target) -> dict[str, Encoded]:
    return {each.target_id: each for batch in encoder.encode(targets) for each in batch}


def pieces_at(tokenizer: PreTrainedTokenizerFast, text: str, start: int, end: int) -> list[int]:
    """Places of a word's pieces, found without offsets.

    Pieces are laid end to end over the text as the tokenizer writes them, a mark for each space.
    """
    assert unicodedata.normalize("NFKC", text) == text
    assert "  " not in text
    at, found = -1, []  # the mark at the start has no space in the text
    for place, piece in enumerate(tokenizer.convert_ids_to_tokens(tokenizer(text)["input_ids"])):
        if piece == "</s>":
            break
        letters = [at + n for n, letter in enumerate(piece) if letter != "▁"]
        if any(start <= letter < end for letter in letters):
            found.append(place)
        at += len(piece)
    assert at == len(text)
    return found


PLAIN = "“Stay!” cried Jo; she walked on, and he walked home: unhappiness, walked."


@pytest.mark.parametrize(
    ("text", "wanted", "occurrence"),
    [
        pytest.param("walked home and she walked on", "walked", 1, id="at the start"),
        pytest.param("walked home and she walked on", "walked", 2, id="the second occurrence"),
        pytest.param(PLAIN, "walked", 2, id="the second of three"),
        pytest.param(PLAIN, "walked", 3, id="the third, before a full stop"),
        pytest.param(PLAIN, "Stay", 1, id="inside quotation marks at the start"),
        pytest.param(PLAIN, "cried", 1, id="after a quotation mark"),
        pytest.param(PLAIN, "unhappiness", 1, id="many pieces"),
        pytest.param(PLAIN, "she", 1, id="a short word"),
        pytest.param("the clerk was naïve at the café", "naïve", 1, id="with a diaeresis"),
        pytest.param("the clerk was at the café 😀, he", "😀", 1, id="an astral character"),
        pytest.param("he saw 𐍈𐍈 and walked", "𐍈𐍈", 1, id="an astral word"),
        pytest.param("he saw 𐍈𐍈 and walked", "walked", 1, id="after an astral word"),
    ],
)
def test_a_words_vector_is_the_mean_over_its_own_pieces(
    own: WordEncoder,
    tokenizer: PreTrainedTokenizerFast,
    hidden: Callable[[str], Floats],
    text: str,
    wanted: str,
    occurrence: int,
) -> None:
    """The piece is the target's own, wherever it stands and however often its letters occur."""
    target = word(text, wanted, occurrence)
    assert target.start is not None
    assert target.end is not None

    found = encoded(own, target)[target.target_id]

    places = pieces_at(tokenizer, text, target.start, target.end)
    np.testing.assert_allclose(found.vector, hidden(text)[places].mean(axis=0), atol=1e-5)
    assert found.pieces == len(places)
    assert found.vector.dtype == np.float32
    assert found.tokens == len(tokenizer(text)["input_ids"])
    assert found.left_out == 0


def test_the_cases_are_what_they_are_called(tokenizer: PreTrainedTokenizerFast) -> None:
    """Words of several pieces, and occurrences that the model tells apart."""
    start = PLAIN.index("unhappiness")

    assert len(pieces_at(tokenizer, PLAIN, start, start + len("unhappiness"))) > 2


def test_occurrences_of_one_word_have_vectors_of_their_own(own: WordEncoder) -> None:
    targets = [word(PLAIN, "walked", occurrence) for occurrence in (1, 2, 3)]

    vectors = [encoded(own, *targets)[target.target_id].vector for target in targets]

    assert not np.allclose(vectors[0], vectors[1], atol=1e-3)
    assert not np.allclose(vectors[1], vectors[2], atol=1e-3)


def test_a_letter_with_a_combining_mark_is_composed_and_found(
    own: WordEncoder, tokenizer: PreTrainedTokenizerFast, hidden: Callable[[str], Floats]
) -> None:
    """The tokenizer joins letter and mark; the word after them is still at its own place."""
    text = "the nai\u0308ve clerk walked"
    composed = unicodedata.normalize("NFC", text)
    marked, after = word(text, "nai\u0308ve"), word(text, "walked")

    found = encoded(own, marked, after)

    for target, wanted in ((marked, "naïve"), (after, "walked")):
        start = composed.index(wanted)
        places = pieces_at(tokenizer, composed, start, start + len(wanted))
        expected = hidden(composed)[places].mean(axis=0)
        np.testing.assert_allclose(found[target.target_id].vector, expected, atol=1e-5)


def test_padding_and_company_do_not_change_a_vector(own: WordEncoder) -> None:
    """Alone or in a batch with longer contexts, a word's vector is the same."""
    short = word("she walked on", "walked")
    others = [word(PLAIN, "walked", occurrence) for occurrence in (1, 2, 3)]

    alone = encoded(own, short)[short.target_id].vector
    together = encoded(own, *others, short)[short.target_id].vector

    np.testing.assert_allclose(alone, together, atol=1e-5)


def test_each_distinct_context_goes_through_the_model_once(folder: Path) -> None:
    """However many of its words are asked for, and however far apart the requests stand."""
    encoder = make(f"word:{folder}", settings=Settings(device="cpu"))
    assert isinstance(encoder, WordEncoder)
    model = encoder._model
    assert model is not None
    rows: list[int] = []
    model.register_forward_pre_hook(
        lambda _module, _args, kwargs: rows.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    targets = [word(PLAIN, wanted) for wanted in ("walked", "she", "home", "Stay")]
    targets[2:2] = [word("he walked", "walked"), word("he walked", "he")]

    found = encoded(encoder, *targets)

    assert sum(rows) == 2
    assert len(found) == len(targets)


LONG = " ".join(["the miller walked home and she laughed"] * 12)


@pytest.mark.parametrize("occurrence", [1, 6, 12])
def test_a_long_context_is_seen_through_a_window_with_the_word_in_it(
    folder: Path, tokenizer: PreTrainedTokenizerFast, occurrence: int
) -> None:
    """What is left out is told; the vector is what the model makes of the window alone."""
    encoder = make(f"word:{folder}", settings=Settings(device="cpu", max_tokens=32))
    assert isinstance(encoder, WordEncoder)
    target = word(LONG, "laughed", occurrence)
    assert target.start is not None
    assert target.end is not None
    ids = tokenizer(LONG)["input_ids"]
    places = pieces_at(tokenizer, LONG, target.start, target.end)

    found = encoded(encoder, target)[target.target_id]

    start = window_start(len(ids) - 1, 31, first=places[0], last=places[-1])
    assert start is not None
    assert start <= places[0]
    assert places[-1] < start + 31
    seen = [*ids[start : start + 31], ids[-1]]
    model = T5EncoderModel.from_pretrained(folder)
    with torch.no_grad():
        states = model(input_ids=torch.tensor([seen])).last_hidden_state[0].numpy()
    expected = states[[place - start for place in places]].mean(axis=0)
    np.testing.assert_allclose(found.vector, expected, atol=1e-5)
    assert found.tokens == len(ids)
    assert found.left_out == len(ids) - 32


def test_a_window_does_not_depend_on_what_else_is_asked_for(folder: Path) -> None:
    """So a run that was killed and goes on makes the vectors it would have made."""
    encoder = make(f"word:{folder}", settings=Settings(device="cpu", max_tokens=32))
    assert isinstance(encoder, WordEncoder)
    targets = [word(LONG, "laughed", occurrence) for occurrence in range(1, 13)]

    together = encoded(encoder, *targets)

    for target in targets:
        alone = encoded(encoder, target)[target.target_id].vector
        np.testing.assert_allclose(alone, together[target.target_id].vector, atol=1e-5)


def test_a_word_wider_than_the_window_is_told(folder: Path) -> None:
    """It is not cut."""
    encoder = make(f"word:{folder}", settings=Settings(device="cpu", max_tokens=8))
    assert isinstance(encoder, WordEncoder)
    skipped: list[Skipped] = []
    target = Target(target_id="wide", text=LONG, start=0, end=80)

    found = [each for batch in encoder.encode([target], skipped.append) for each in batch]

    assert found == []
    assert [each.target_id for each in skipped] == ["wide"]
    assert "the window has 7; choose a wider one" in skipped[0].reason


def test_a_target_without_a_word_is_told_and_the_others_go_on(own: WordEncoder) -> None:
    """By a value where somebody listens, by an error where nobody does."""
    bad = [
        Target(target_id="space", text="a b", start=1, end=2),
        Target(target_id="beyond", text="a b", start=2, end=9),
        Target(target_id="whole", text="a b"),
    ]
    good = word("she walked on", "walked")
    skipped: list[Skipped] = []

    found = [each for batch in own.encode([*bad, good], skipped.append) for each in batch]

    assert [each.target_id for each in found] == [good.target_id]
    assert {each.target_id for each in skipped} == {"space", "beyond", "whole"}
    with pytest.raises(CannotEncode, match="target space: characters 1 to 2 of the text are white"):
        list(own.encode(bad[:1]))


def published(ids: Sequence[int], word_ids: Sequence[int], text: str, wanted: str) -> list[int]:
    """The paper's way to places, written out: the first place of each piece in the context.

    Where splitting the context at the word gives two parts, the pieces from the last place on are
    looked up once more, which finds any only if that place is among the first few.
    """

    def first(piece: int) -> int:
        return next(place for place, each in enumerate(ids) if each == piece)

    places = [first(piece) for piece in word_ids]
    again = list(word_ids)[places[-1] :] if text.count(wanted) == 1 else []
    return places + [first(piece) for piece in again]


@pytest.mark.parametrize(
    ("text", "wanted", "occurrence"),
    [
        ("she walked and he walked on", "walked", 2),
        ("walked she", "walked", 1),
        ("walked he walked", "walked", 2),
        ("happier is he than he was, the unhappy man", "unhappy", 1),
    ],
)
def test_published_pooling_takes_the_first_place_of_each_piece(
    folder: Path,
    tokenizer: PreTrainedTokenizerFast,
    hidden: Callable[[str], Floats],
    text: str,
    wanted: str,
    occurrence: int,
) -> None:
    """Be it the word's own or not, as the paper's code does."""
    encoder = make(f"word:{folder}", settings=Settings(device="cpu", pooling="published"))
    assert isinstance(encoder, WordEncoder)
    target = word(text, wanted, occurrence)

    found = encoded(encoder, target)[target.target_id]

    word_ids = tokenizer(wanted, add_special_tokens=False)["input_ids"]
    places = published(tokenizer(text)["input_ids"], word_ids, text, wanted)
    np.testing.assert_allclose(found.vector, hidden(text)[places].mean(axis=0), atol=1e-5)
    assert found.pieces == len(places)
    # Only there do some pieces come twice.
    assert (len(places) > len(word_ids)) == (text == "walked she")


def test_published_pooling_tells_of_a_word_whose_pieces_are_not_in_its_context(
    folder: Path,
) -> None:
    """A word after a quotation mark is cut otherwise than by itself; the paper's code stops."""
    encoder = make(f"word:{folder}", settings=Settings(device="cpu", pooling="published"))
    skipped: list[Skipped] = []
    target = word("the “walked", "walked")

    found = [each for batch in encoder.encode([target], skipped.append) for each in batch]

    assert found == []
    assert skipped[0].reason == "a piece of 'walked' by itself does not occur in its context"


def test_the_identity_says_what_changes_a_vector(folder: Path, own: WordEncoder) -> None:
    """Another pooling, window or weight is another identity; another batch size is not."""
    mine = own.identity

    assert (mine.unit, mine.pooling, mine.dtype, mine.dim) == ("word", "own", "float32", 32)
    assert mine.max_tokens == 2_048
    assert mine.revision.startswith("sha256:")
    assert make(f"word:{folder}", settings=Settings(batch_tokens=64)).identity == mine
    for settings in (Settings(pooling="published"), Settings(max_tokens=64)):
        assert make(f"word:{folder}", settings=settings).identity != mine


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(pooling="mean"), "pooling: no 'mean'; choose own or published"),
        (Settings(instruction="Word:"), "instruction: a word in context takes none"),
        (Settings(max_tokens=3), "max tokens: 3; choose 8 or more"),
        (Settings(dtype="int8"), "dtype: no 'int8'; choose auto or one of bfloat16"),
        (Settings(device="cuda:99"), "device: 'cuda:99' cannot be used"),
        (Settings(batch_tokens=0), "batch tokens: 0; ask for at least 1"),
    ],
)
def test_what_cannot_be_is_said(folder: Path, settings: Settings, message: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(message)):
        make(f"word:{folder}", settings=settings)


def test_lower_precision_is_near(folder: Path, own: WordEncoder) -> None:
    """What a GPU computes in, here on the CPU: the direction of a vector hardly moves."""
    target = word(PLAIN, "walked", 2)
    exact = encoded(own, target)[target.target_id].vector

    half = make(f"word:{folder}", settings=Settings(device="cpu", dtype="bfloat16"))
    assert isinstance(half, WordEncoder)
    near = encoded(half, target)[target.target_id].vector

    assert near.dtype == np.float32
    cosine = exact @ near / np.linalg.norm(exact) / np.linalg.norm(near)
    assert cosine > 0.999
    assert half.identity.dtype == "bfloat16"
