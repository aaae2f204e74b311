"""One model with all that is asked of it: tokens, likelihoods, continuations, conversations."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
import transformers
from jinja2 import TemplateError

from probe.providers.scoring.errors import NotAModel, Refused
from probe.providers.scoring.network import Network
from probe.providers.scoring.score import Scorer
from probe.providers.scoring.tokens import Tokens, tokens_of
from probe.providers.scoring.weights import folder_of, load
from probe.providers.scoring.write import Writer

_TYPES: Final = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}

_TOGETHER: Final = {"cpu": 512, "cuda": 8192}
"""Tokens that are scored together: on a CPU no more than its caches bear (count)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is to be served.

    Attributes:
        path: A GGUF file or a model's folder.
        cache: Where unpacked weights are kept.
        alias: The name it is asked by.
        key: The bearer key of its address.
        threads: Of torch (count).
        dtype: Type of the weights and of what is computed on the way to the logits.
        context_tokens: The most a request may come to, if the model bears as much (count).
        batch_tokens: Tokens that are scored together (count); None: as suits the device.
        write_tokens: The same of texts that are continued, with what is still to be written.
        device: Where it computes; `auto` is a GPU where torch sees one.
    """

    path: str
    cache: str
    alias: str
    key: str
    threads: int
    dtype: str = "float32"
    context_tokens: int = 2048
    batch_tokens: int | None = None
    write_tokens: int = 4096
    device: str = "auto"


class Engine:
    """One model, loaded."""

    def __init__(self, settings: Settings) -> None:
        """Load it.

        Raises:
            NotAModel: It cannot be loaded.
        """
        torch.set_num_threads(settings.threads)
        self.alias = settings.alias
        device = settings.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        path = Path(settings.path)
        folder = folder_of(path, Path(settings.cache))
        loaded = load(folder, device=device, dtype=_TYPES[settings.dtype])
        network = Network(loaded)
        self._tokenizer = loaded.tokenizer
        if max(loaded.tokenizer.get_vocab().values(), default=0) >= network.entries:
            found = "its tokenizer has more tokens than the model"
            raise NotAModel(path, found, "give a folder in which both are of one model")
        self.context_tokens = min(settings.context_tokens, network.positions)
        self.has_template = bool(loaded.tokenizer.chat_template)
        self.continues = network.has_cache
        self.scorer = Scorer(network, settings.batch_tokens or _TOGETHER[device.split(":")[0]])
        ends = _ends(loaded.model.generation_config, loaded.tokenizer.eos_token_id)
        self.writer = Writer(network, loaded.tokenizer, ends, settings.write_tokens)
        versions = f"transformers {transformers.__version__}, torch {torch.__version__}"
        how = f"{versions}, {settings.dtype} on {device}"
        self.fingerprint = "fp_" + hashlib.sha256(how.encode()).hexdigest()[:12]
        self.facts: dict[str, object] = {
            "transformers": transformers.__version__,
            "torch": str(torch.__version__),
            "dtype": settings.dtype,
            "device": device,
            "weights": folder.name,
            "context_tokens": self.context_tokens,
            "shares_beginnings": network.has_cache,
        }

    def tokens(self, text: str, new_tokens: int = 0) -> Tokens:
        """A text's tokens.

        Args:
            text: Sent as it is.
            new_tokens: To be written behind it (count).

        Raises:
            Refused: It holds none, or more than the model bears; in the words of vLLM.
        """
        tokens = tokens_of(self._tokenizer, text)
        self._check(len(tokens.ids), new_tokens)
        return tokens

    def _check(self, tokens: int, new_tokens: int) -> None:
        if not tokens:
            raise Refused("The prompt holds no token.")
        most = f"This model's maximum context length is {self.context_tokens} tokens"
        if tokens > self.context_tokens:
            raise Refused(
                f"{most}. However, your request has {tokens} input tokens. Please reduce the"
                " length of the input messages."
            )
        if tokens + new_tokens > self.context_tokens:
            raise Refused(
                f"'max_tokens' or 'max_completion_tokens' is too large: {new_tokens}. {most} and"
                f" your request has {tokens} input tokens"
                f" ({new_tokens} > {self.context_tokens} - {tokens})."
            )

    def conversation(self, messages: Sequence[dict[str, str]], new_tokens: int) -> Tokens:
        """The tokens of a conversation, up to where the model is to answer.

        Raises:
            Refused: There is no chat template, it does not take these, or they are too long.
        """
        if not self.has_template:
            raise Refused("The model's tokenizer has no chat template; ask /v1/completions.")
        try:
            ids: Any = self._tokenizer.apply_chat_template(
                list(messages), add_generation_prompt=True, tokenize=True, return_dict=False
            )
        except TemplateError as error:
            raise Refused(f"The chat template does not take these messages: {error}") from None
        self._check(len(ids), new_tokens)
        return Tokens(ids=tuple(ids), offsets=())


def _ends(config: Any, own: int | None) -> frozenset[int]:  # noqa: ANN401 - untyped in transformers
    """Tokens that end a text, as the model's own settings and its tokenizer say."""
    told = getattr(config, "eos_token_id", None)
    ends = told if isinstance(told, list) else [told]
    return frozenset(end for end in [*ends, own] if end is not None)
