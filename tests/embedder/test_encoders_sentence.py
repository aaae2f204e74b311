"""The sentence encoder against sentence-transformers, which it must agree with."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch", reason="needs the `embed` extra")
reference = pytest.importorskip("sentence_transformers", reason="needs the `embed` extra")

from embedder.encoders import Encoded, Encoder, Settings, Skipped, Target, make  # noqa: E402
from embedder.encoders.packed import available  # noqa: E402
from embedder.errors import BadSetting, ModelUnusable  # noqa: E402
from store.assets import asset_path, is_cached  # noqa: E402
from store.catalogue import MINILM  # noqa: E402
from tests.embedder.models_for_tests import SENTENCES, make_bert  # noqa: E402

TEXTS = [
    *SENTENCES,
    "She laughed.",
    "she LAUGHED",
    "a",
    "",
    "   spaces   all   round   ",
    "Words that it never saw: Ωμέγα, 東京, 😀, na\u0308ive.",
    " ".join(SENTENCES),
    "harbour " * 40,
    "one two three four five six seven eight nine ten eleven twelve",
]
EXACT = Settings(device="cpu", dtype="float32")


def encoded(encoder: Encoder, texts: list[str]) -> list[Encoded]:
    """What comes of texts, in their order."""
    targets = [Target(target_id=str(number), text=text) for number, text in enumerate(texts)]
    found = {each.target_id: each for batch in encoder.encode(targets) for each in batch}
    return [found[target.target_id] for target in targets]


def vectors(encoder: Encoder, texts: list[str]) -> npt.NDArray[np.float32]:
    return np.stack([each.vector for each in encoded(encoder, texts)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("bert"))


@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
@pytest.mark.parametrize("normalised", [True, False])
def test_vectors_are_those_of_sentence_transformers(
    tmp_path: Path, pooling: str, *, normalised: bool
) -> None:
    """For each pooling, with and without scaling, longer texts than the window included."""
    folder = make_bert(tmp_path, pooling=pooling, normalised=normalised)

    found = vectors(make(f"sentence:{folder}", settings=EXACT), TEXTS)

    expected = reference.SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert (np.allclose(np.linalg.norm(found, axis=1), 1)) == normalised


@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
def test_a_bert_with_another_activation_goes_the_plain_way(tmp_path: Path, pooling: str) -> None:
    """It has no quick form, and its vectors are right as well."""
    other = make_bert(tmp_path, pooling=pooling)
    path = other / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hidden_act": "gelu_new"}))

    found = vectors(make(f"sentence:{other}", settings=EXACT), TEXTS)

    expected = reference.SentenceTransformer(str(other), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_embedded_model_gives_its_published_vectors() -> None:
    """The model that comes as an asset: the recipe is read right and every cosine is 1."""
    if not is_cached(MINILM):
        pytest.skip(f"needs the asset {MINILM.name}, which is not in the cache")
    folder = asset_path(MINILM)

    encoder = make("all-minilm-l6-v2", folder=folder, settings=EXACT)
    found = vectors(encoder, TEXTS)

    expected = reference.SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    np.testing.assert_allclose((found * expected).sum(axis=1), 1, atol=1e-5)
    identity = encoder.identity
    assert (identity.dim, identity.max_tokens, identity.pooling) == (384, 256, "mean, normalised")


@pytest.mark.parametrize("batch_tokens", [1, 50, 10_000])
def test_the_size_of_batches_does_not_change_vectors(folder: Path, batch_tokens: int) -> None:
    settings = Settings(device="cpu", dtype="float32", batch_tokens=batch_tokens)

    found = vectors(make(f"sentence:{folder}", settings=settings), TEXTS)

    expected = vectors(make(f"sentence:{folder}", settings=EXACT), TEXTS)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_on_this_processor_the_quick_way_is_taken(folder: Path) -> None:
    """Else the agreement above would say nothing of it."""
    if not available():
        pytest.skip("torch's oneDNN operators do not work on this processor")
    from transformers import BertModel  # noqa: PLC0415

    from embedder.encoders.bert import packed_bert  # noqa: PLC0415

    assert packed_bert(BertModel.from_pretrained(folder)) is not None


def test_tokens_beyond_the_window_are_counted(folder: Path) -> None:
    """A text's tokens are all counted, and so are those the model did not see."""
    encoder = make(f"sentence:{folder}", settings=EXACT)
    tokenizer = reference.SentenceTransformer(str(folder), device="cpu").tokenizer

    found = encoded(encoder, TEXTS)

    counts = [len(tokenizer(text, truncation=False)["input_ids"]) for text in TEXTS]
    assert max(counts) > 24
    assert [each.tokens for each in found] == counts
    assert [each.left_out for each in found] == [max(0, count - 24) for count in counts]


def test_a_chosen_window_is_kept(folder: Path) -> None:
    """Narrower or wider than the model's maker chose, as sentence-transformers would cut."""
    for window in (10, 64):
        settings = Settings(device="cpu", dtype="float32", max_tokens=window)
        model = reference.SentenceTransformer(str(folder), device="cpu")
        model.max_seq_length = window

        found = vectors(make(f"sentence:{folder}", settings=settings), TEXTS)

        np.testing.assert_allclose(found, model.encode(TEXTS), atol=1e-5)
    with pytest.raises(BadSetting, match="max tokens: 65; choose 8 or more, and at most 64"):
        make(f"sentence:{folder}", settings=Settings(max_tokens=65))


def test_an_instruction_is_put_before_each_text(folder: Path, tmp_path: Path) -> None:
    """As sentence-transformers puts a prompt; a model's own one is used and can be emptied."""
    model = reference.SentenceTransformer(str(folder), device="cpu")
    expected = model.encode(TEXTS, prompt="the miller: ")
    asked = Settings(device="cpu", dtype="float32", instruction="the miller: ")
    prompted = shutil.copytree(folder, tmp_path / "prompted")
    (prompted / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"story": "the miller: "}, "default_prompt_name": "story"})
    )

    mine = make(f"sentence:{folder}", settings=asked)
    its_own = make(f"sentence:{prompted}", settings=EXACT)
    emptied = make(f"sentence:{prompted}", settings=Settings(device="cpu", instruction=""))

    np.testing.assert_allclose(vectors(mine, TEXTS), expected, atol=1e-5)
    np.testing.assert_allclose(vectors(its_own, TEXTS), expected, atol=1e-5)
    np.testing.assert_allclose(vectors(emptied, TEXTS), model.encode(TEXTS), atol=1e-5)
    assert (mine.identity.instruction, its_own.identity.instruction) == ("the miller: ",) * 2
    assert emptied.identity.instruction is None


def test_a_model_saved_by_todays_sentence_transformers_is_read(
    folder: Path, tmp_path: Path
) -> None:
    """Its files say the same in other words."""
    model = reference.SentenceTransformer(str(folder), device="cpu")
    model.save(str(tmp_path))

    found = make(f"sentence:{tmp_path}", settings=EXACT)

    np.testing.assert_allclose(vectors(found, TEXTS), model.encode(TEXTS), atol=1e-5)
    assert found.identity.max_tokens == 24


def test_equal_texts_go_through_the_model_once_and_each_gets_its_vector(folder: Path) -> None:
    """Every target comes back once, in batches within the budget, longest first."""
    encoder = make(f"sentence:{folder}", settings=Settings(device="cpu", batch_tokens=24))
    texts = [*TEXTS, *reversed(TEXTS)]
    targets = [Target(target_id=str(number), text=text) for number, text in enumerate(texts)]

    batches = list(encoder.encode(targets))

    told = [each for batch in batches for each in batch]
    assert sorted(each.target_id for each in told) == sorted(t.target_id for t in targets)
    seen = [each.tokens - each.left_out for each in told]
    assert seen == sorted(seen, reverse=True)
    assert len(batches) > 3
    by_id = {each.target_id: each.vector for each in told}
    for number, text in enumerate(texts):
        twin = str(texts.index(text))
        np.testing.assert_array_equal(by_id[str(number)], by_id[twin])


def test_a_word_in_context_is_told(folder: Path) -> None:
    """It is for another kind of encoder."""
    skipped: list[Skipped] = []
    word = Target(target_id="w", text="she laughed", start=0, end=3)

    found = list(make(f"sentence:{folder}", settings=EXACT).encode([word], skipped.append))

    assert found == []
    assert skipped[0].reason == "it is a word in its context, and this encodes sentences"


def test_numbers_that_are_not_finite_are_told(tmp_path: Path) -> None:
    """A vector with a hole in it is no vector."""
    from safetensors.torch import load_file, save_file  # noqa: PLC0415

    folder = make_bert(tmp_path)
    weights = load_file(folder / "model.safetensors")
    weights["embeddings.word_embeddings.weight"][5:] = float("nan")
    save_file(weights, folder / "model.safetensors")
    skipped: list[Skipped] = []
    target = Target(target_id="t", text="she laughed")

    found = list(make(f"sentence:{folder}", settings=EXACT).encode([target], skipped.append))

    assert found == []
    assert "not finite in float32; use another dtype" in skipped[0].reason


def test_a_closed_encoder_does_not_encode(folder: Path) -> None:
    encoder = make(f"sentence:{folder}", settings=EXACT)
    encoder.close()
    encoder.close()

    with pytest.raises(ValueError, match="the encoder is closed"):
        list(encoder.encode([Target(target_id="t", text="she laughed")]))


def _rewrite(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("modules.json", None, "has no modules.json, so it is no sentence-transformers model"),
        (
            "modules.json",
            [{"path": "", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"},
             {"path": "2_Dense", "type": "x.Dense"}],
            "its module Dense is not supported",
        ),
        ("modules.json", [{"path": "", "type": "x.Transformer"}], "its modules are Transformer"),
        (
            "modules.json",
            [{"path": "", "type": "x.Transformer"}, {"path": "1_Pooling", "type": "x.Pooling"},
             {"path": "2_Pooling", "type": "x.Pooling"}],
            "its module Pooling is not supported",
        ),
        (
            "1_Pooling/config.json",
            {"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True},
            "its pooling mean + max is not supported",
        ),
        ("1_Pooling/config.json", {}, "its pooling none is not supported"),
        ("tokenizer.json", None, "its tokenizer has no pieces; check its files"),
        ("model.safetensors", None, "its weights cannot be loaded"),
        ("config.json", "no object", "cannot be loaded"),
    ],
)  # fmt: skip
def test_a_model_that_is_not_as_it_should_be_is_named(
    folder: Path, tmp_path: Path, file: str, content: object, message: str
) -> None:
    """With what is wrong with it, in one line."""
    broken = shutil.copytree(folder, tmp_path / "broken")
    (broken / "vocab.txt").unlink()
    if content is None:
        (broken / file).unlink()
    else:
        _rewrite(broken / file, content)

    with pytest.raises(ModelUnusable, match=re.escape(message)) as error:
        make(f"sentence:{broken}", settings=EXACT)

    assert str(error.value).startswith("model broken: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("file", "what"), [("model.safetensors", "weights"), ("tokenizer.json", "tokenizer")]
)
def test_a_file_that_was_cut_off_is_named(
    folder: Path, tmp_path: Path, file: str, what: str
) -> None:
    """Such as one whose download ended early."""
    broken = shutil.copytree(folder, tmp_path / "broken")
    whole = (broken / file).read_bytes()
    (broken / file).write_bytes(whole[: len(whole) // 2])

    with pytest.raises(ModelUnusable, match=f"model broken: its {what} cannot be loaded"):
        make(f"sentence:{broken}", settings=EXACT)
