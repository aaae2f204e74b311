"""What the child of the provider `transformers` computes, against transformers and by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from store.assets import fetch
from store.catalogue import PLAYS
from tests.probe.scoring_for_tests import needs_packages, smollm2, unpacked

needs_packages()

import torch  # noqa: E402 - only where it is installed
from transformers import AutoModelForCausalLM, Gemma2Config, GPT2Config  # noqa: E402

from probe.providers.scoring.engine import Engine, Settings  # noqa: E402
from probe.providers.scoring.network import Network  # noqa: E402
from probe.providers.scoring.places import Places, read_places  # noqa: E402
from probe.providers.scoring.score import Scorer  # noqa: E402
from probe.providers.scoring.tokens import tokens_of  # noqa: E402
from probe.providers.scoring.weights import Loaded, folder_of, load  # noqa: E402
from probe.providers.scoring.write import Wish, Writer, drawn  # noqa: E402
from tests.probe.tiny_model_for_tests import tiny_folder  # noqa: E402

pytestmark = [pytest.mark.transformers, pytest.mark.timeout(600)]
PASSAGES = 20


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    """The smoke-test model."""
    folder = folder_of(smollm2(), unpacked())
    return load(folder, device="cpu", dtype=torch.float32)


@pytest.fixture(scope="module")
def passages(loaded: Loaded) -> list[tuple[int, ...]]:
    """Twenty of the plays, of several lengths; every other one begins with the same 50 tokens."""
    plays = sorted(fetch(PLAYS, lambda *_: None).rglob("*.md"))
    texts = [plays[at].read_text(encoding="utf-8")[4000 : 4120 + 9 * at] for at in range(PASSAGES)]
    ids = [tokens_of(loaded.tokenizer, text).ids for text in texts]
    return [ids[0][:50] + own if at % 2 else own for at, own in enumerate(ids)]


def made(config: GPT2Config | Gemma2Config) -> Any:  # noqa: ANN401 - untyped in transformers
    make: Any = AutoModelForCausalLM
    return make.from_config(config).eval()


def logits_of(loaded: Loaded, ids: tuple[int, ...]) -> Any:  # noqa: ANN401 - a float64 array
    """Transformers' own, one text at a time, for every token but the last."""
    with torch.inference_mode():
        return loaded.model(torch.tensor([ids])).logits[0, :-1].double().numpy()


def log_softmax(logits: Any) -> Any:  # noqa: ANN401
    """In float64, by numpy."""
    shifted = logits - logits.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def agree(places: Places, logits: Any, ids: tuple[int, ...]) -> None:  # noqa: ANN401
    """Assert all four numbers of every token against numpy on the full logits."""
    logprobs = log_softmax(logits)
    chances, behind = np.exp(logprobs), np.array(ids[1:])
    own = logprobs[np.arange(len(behind)), behind]
    means = (chances * logprobs).sum(-1)
    variances = (chances * (logprobs - means[:, None]) ** 2).sum(-1)
    ranks = (logprobs >= own[:, None]).sum(-1)

    assert np.isnan(places.logprobs[0])
    np.testing.assert_allclose(places.logprobs[1:], own, atol=1e-4)
    np.testing.assert_allclose(places.means[1:], means, atol=1e-4)
    np.testing.assert_allclose(places.variances[1:], variances, atol=1e-3)
    # Tokens whose logits differ by a rounding may change places.
    assert np.abs(places.ranks[1:] - ranks).max() <= 1 + 0.001 * ranks.max()
    assert (places.ranks[1:] == ranks).mean() > 0.99


def test_twenty_passages_agree_with_transformers_itself(
    loaded: Loaded, passages: list[tuple[int, ...]]
) -> None:
    """To 1e-4 nat a token, in batches and with shared beginnings, at the same places."""
    scorer = Scorer(Network(loaded), 512)

    scored = scorer.score(passages)

    for ids, places in zip(passages, scored, strict=True):
        agree(places, logits_of(loaded, ids), ids)


def test_sharing_a_beginning_saves_work_and_changes_nothing(
    loaded: Loaded, passages: list[tuple[int, ...]]
) -> None:
    """Fewer tokens go through the model, and the numbers are those of texts scored alone."""
    network = Network(loaded)
    run: list[int] = []
    states = network.states

    def counted(ids: torch.Tensor, *rest: Any, **more: Any) -> Any:  # noqa: ANN401
        run.append(ids.numel())
        return states(ids, *rest, **more)

    network.states = counted  # type: ignore[method-assign]
    some = [passages[at] for at in (1, 3, 5)] + [passages[1]]
    shared = Scorer(network, 10_000).score(some)
    with_sharing, run[:] = sum(run), []
    alone = Scorer(network, 1, least=1 << 30).score(some)

    assert with_sharing < sum(run) - 80
    for one, other in zip(shared, alone, strict=True):
        np.testing.assert_allclose(one.logprobs[1:], other.logprobs[1:], atol=1e-4)


def test_two_tokens_by_hand() -> None:
    """Three tokens of chances 1/2, 1/4, 1/4 behind the first.

    The blocks add nothing, so the last state is the layer norm of the first token's embedding
    (ln 2, 0), which is (1, -1). Logits are its products with the embeddings: (ln 2, 0),
    (0, 0) and (3, 3) give ln 2, 0 and 0.
    """
    config = GPT2Config(
        vocab_size=3, n_positions=32, n_embd=2, n_layer=1, n_head=1, layer_norm_epsilon=1e-12
    )
    model = made(config)
    with torch.no_grad():
        for weight in model.transformer.h.parameters():
            weight.zero_()
        model.transformer.wpe.weight.zero_()
        model.transformer.wte.weight.copy_(torch.tensor([[math.log(2), 0], [0, 0], [3, 3]]))
    tokenizer: Any = None
    scorer = Scorer(Network(Loaded(model=model, tokenizer=tokenizer)), 100)

    [likeliest, other] = scorer.score([(0, 0), (0, 2)])

    half = math.log(2)
    assert likeliest.logprobs[1] == pytest.approx(-half, abs=1e-6)
    assert other.logprobs[1] == pytest.approx(-2 * half, abs=1e-6)
    assert (likeliest.ranks[1], other.ranks[1]) == (1, 3)
    for places in (likeliest, other):
        assert places.means[1] == pytest.approx(-1.5 * half, abs=1e-6)
        assert places.variances[1] == pytest.approx(0.25 * half**2, abs=1e-6)


def test_a_model_whose_logits_are_more_than_its_output_layer() -> None:
    """Gemma 2 squeezes its logits; they are read whole where the shortcut does not hold."""
    torch.manual_seed(3)
    config = Gemma2Config(
        vocab_size=11,
        hidden_size=8,
        intermediate_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=4,
        max_position_embeddings=64,
        sliding_window=4,
        final_logit_softcapping=2.0,
        initializer_range=0.4,
    )
    model = made(config)
    tokenizer: Any = None
    loaded = Loaded(model=model, tokenizer=tokenizer)
    rng = np.random.default_rng(1)
    begin = tuple(rng.integers(0, 11, 20).tolist())
    texts = [begin + tuple(rng.integers(0, 11, size).tolist()) for size in (3, 9)]

    network = Network(loaded)
    scored = Scorer(network, 500, least=8).score(texts)

    assert network._head is None
    assert network.has_cache

    for ids, places in zip(texts, scored, strict=True):
        agree(places, logits_of(loaded, ids), ids)


def test_minus_infinity_among_the_logits_counts_nothing() -> None:
    """A token that cannot come adds 0 to the sums, not `0 * -inf`."""
    logits = torch.tensor([[0.0, 0.0, -math.inf]])

    places = read_places(logits, torch.tensor([1]))

    assert places.means[0] == pytest.approx(-math.log(2))
    assert places.variances[0] == pytest.approx(0, abs=1e-9)
    assert places.ranks[0] == 2


@pytest.mark.parametrize(
    "text", ["Café — “naïve”, he said.", "😀 to be 👩‍👩‍👧 or", "  two spaces\n\n\tand a tab ", "é"]
)
def test_offsets_cover_the_text_in_code_points(loaded: Loaded, text: str) -> None:
    """From the first code point on, in order; the places spell the tokens of a whole character."""
    tokens = tokens_of(loaded.tokenizer, text)
    ends = (*tokens.offsets[1:], len(text))

    assert tokens.offsets[0] == 0
    assert list(tokens.offsets) == sorted(tokens.offsets)
    assert all(start < len(text) for start in tokens.offsets)
    for at, (start, end) in enumerate(zip(tokens.offsets, ends, strict=True)):
        spelled = loaded.tokenizer.decode([tokens.ids[at]], clean_up_tokenization_spaces=False)
        assert "�" in spelled or spelled == text[start:end]


def writer_of(loaded: Loaded) -> Writer:
    return Writer(Network(loaded), loaded.tokenizer, frozenset({2}), 4096)


def test_a_greedy_continuation_is_transformers_own(
    loaded: Loaded, passages: list[tuple[int, ...]]
) -> None:
    """Texts of several lengths at once, against `generate` on each alone."""
    prompts = [passages[at][: 12 + 5 * at] for at in range(5)]
    wishes = [Wish(ids=ids, max_tokens=10 + at) for at, ids in enumerate(prompts)]

    written = writer_of(loaded).write(wishes)

    for wish, got in zip(wishes, written, strict=True):
        with torch.inference_mode():
            whole = loaded.model.generate(
                torch.tensor([wish.ids]),
                attention_mask=torch.ones(1, len(wish.ids), dtype=torch.long),
                max_new_tokens=wish.max_tokens,
                do_sample=False,
                pad_token_id=0,
            )
        assert list(got.ids) == whole[0, len(wish.ids) :].tolist()
        assert got.text == loaded.tokenizer.decode(list(got.ids), skip_special_tokens=True)


def test_draws_go_by_their_own_seed_whatever_is_written_beside_them(
    loaded: Loaded, passages: list[tuple[int, ...]]
) -> None:
    writer = writer_of(loaded)
    wishes = [
        Wish(ids=passages[0][:20], max_tokens=8, temperature=1.0, seed=seed) for seed in (1, 2, 1)
    ]

    one, two, again = writer.write(wishes)
    [alone] = writer.write(wishes[:1])

    assert one == again == alone
    assert one != two


def test_a_stop_text_ends_a_continuation_before_it(
    loaded: Loaded, passages: list[tuple[int, ...]]
) -> None:
    writer = writer_of(loaded)
    [whole] = writer.write([Wish(ids=passages[0][:20], max_tokens=12)])
    stop = whole.text.split()[2]

    [cut] = writer.write([Wish(ids=passages[0][:20], max_tokens=12, stop=("never", stop))])

    assert cut.finish_reason == "stop"
    assert cut.text == whole.text[: whole.text.index(stop)]


def test_draws_follow_temperature_and_the_likeliest_part() -> None:
    """Chances 0.6, 0.3, 0.1: at top_p 0.85 the third never comes, and 2 in 3 are the first."""
    logits = torch.tensor([0.6, 0.3, 0.1]).log()
    chance = torch.Generator().manual_seed(5)

    draws = [drawn(logits, 1.0, 0.85, chance) for _ in range(3000)]
    cold = [drawn(logits, 0.1, 1.0, chance) for _ in range(200)]

    assert set(draws) == {0, 1}
    assert draws.count(0) / len(draws) == pytest.approx(2 / 3, abs=0.03)
    assert cold.count(0) > 190  # 0.6**10 / (0.6**10 + 0.3**10) = 0.999
    assert drawn(logits, 0.0, 1.0, chance) == 0


def test_an_end_of_text_ends_a_continuation(tmp_path: Path) -> None:
    """The tiny model's likeliest token counts as an end: it is written, and is no text."""
    folder = tiny_folder(tmp_path)
    model = load(folder, device="cpu", dtype=torch.float32)
    ids = tokens_of(model.tokenizer, "to be").ids
    first = int(logits_of(model, (*ids, 0))[-1].argmax())

    [got] = Writer(Network(model), model.tokenizer, frozenset({first}), 100).write(
        [Wish(ids=ids, max_tokens=5)]
    )

    assert (got.ids, got.text, got.finish_reason) == ((first,), "", "stop")


def test_the_engine_bears_no_more_than_the_model(tmp_path: Path) -> None:
    settings = Settings(
        path=str(tiny_folder(tmp_path / "m")),
        cache=str(tmp_path),
        alias="tiny",
        key="k",
        threads=1,
        context_tokens=2048,
    )

    engine = Engine(settings)

    assert engine.context_tokens == 64
    assert not engine.has_template
