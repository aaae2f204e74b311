"""How a sentence-transformers model makes a sentence's vector, read from its folder.

Such a folder lists its modules in `modules.json`: a transformer, a pooling, often a scaling to
length 1. That is what is supported; a model with other modules is refused, for leaving one out
would give other vectors in silence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from embedder.errors import ModelUnusable

Pooling = Literal["mean", "cls", "lasttoken"]

_POOLINGS: Final[tuple[Pooling, ...]] = ("mean", "cls", "lasttoken")
_LEGACY: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_FIX: Final = "choose another model, or serve this one and use `served:`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a sentence's vector is made.

    Attributes:
        transformer: The folder of the transformer and its tokenizer.
        pooling: The mean of the tokens, the first one, or the last one.
        normalised: Whether the vector is scaled to length 1.
        max_tokens: The window it says; None where it leaves that to the transformer.
        lower: Whether texts are put into lower case first.
        prompt: What it puts before texts by default; empty for nothing.
        pools_prompt: Whether the tokens of what is put before a text count in the pooling.
    """

    transformer: Path
    pooling: Pooling
    normalised: bool
    max_tokens: int | None
    lower: bool
    prompt: str
    pools_prompt: bool

    @property
    def pooling_name(self) -> str:
        """Such as `mean, normalised`."""
        return f"{self.pooling}, normalised" if self.normalised else self.pooling


def read_recipe(folder: Path, model: str) -> Recipe:
    """Read a model's recipe.

    Args:
        folder: The model's.
        model: Its name, for errors.

    Raises:
        ModelUnusable: It is no model of this kind, or has a part that is not supported.
    """
    kinds: dict[str, Path] = {}
    for module in _modules(folder, model):
        kind = str(module.get("type", "")).rsplit(".", 1)[-1]
        if kind not in {"Transformer", "Pooling", "Normalize"} or kind in kinds:
            raise ModelUnusable(model, f"its module {kind} is not supported", _FIX)
        kinds[kind] = folder / str(module.get("path", ""))
    if list(kinds)[:2] != ["Transformer", "Pooling"]:
        raise ModelUnusable(model, f"its modules are {', '.join(kinds)}", _FIX)
    transformer = kinds["Transformer"]
    settings = _object(transformer / "sentence_bert_config.json", model)
    whole = _object(folder / "config_sentence_transformers.json", model)
    prompts = whole.get("prompts") or {}
    pooling = _object(kinds["Pooling"] / "config.json", model)
    return Recipe(
        transformer=transformer,
        pooling=_pooling(pooling, model),
        normalised="Normalize" in kinds,
        max_tokens=settings.get("max_seq_length"),
        lower=bool(settings.get("do_lower_case", False)),
        prompt=str(prompts.get(whole.get("default_prompt_name"), "")),
        pools_prompt=bool(pooling.get("include_prompt", True)),
    )


def _modules(folder: Path, model: str) -> list[dict[str, Any]]:
    path = folder / "modules.json"
    if not path.is_file():
        raise ModelUnusable(
            model,
            f"{folder} has no modules.json, so it is no sentence-transformers model",
            "give the folder of one, or use `word:` for words in context",
        )
    modules: list[dict[str, Any]] = _json(path, model)
    return modules


def _pooling(config: dict[str, Any], model: str) -> Pooling:
    asked = config.get("pooling_mode") or [mode for key, mode in _LEGACY.items() if config.get(key)]
    modes = [asked] if isinstance(asked, str) else list(asked)
    for pooling in _POOLINGS:
        if modes == [pooling]:
            return pooling
    raise ModelUnusable(model, f"its pooling {' + '.join(modes) or 'none'} is not supported", _FIX)


def _object(path: Path, model: str) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found: dict[str, Any] = _json(path, model)
    return found


def _json(path: Path, model: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelUnusable(model, f"{path} is not JSON ({error})", "fetch it anew") from error
