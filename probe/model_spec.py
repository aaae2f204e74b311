"""One model of the experiment file: where it is served, how it may be asked, what it costs."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from store.keys import canonical

ProviderName: TypeAlias = Literal["openai", "anthropic", "local", "vllm", "transformers"]
ModeName: TypeAlias = Literal["live", "batch"]
ApiName: TypeAlias = Literal["chat", "completions"]
ParamValue: TypeAlias = str | int | float | bool | list[Any] | dict[str, Any]
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
_HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]
_HeaderValue = Annotated[str, Field(pattern=r"^[\x20-\x7e]*$")]
_OF_LIKELIHOODS = "prompt_logprobs"
_RESERVED_PARAMS = frozenset({"model", "messages", "prompt", "stream"})
_REPLY_TOKENS = 256
_REMOTE = frozenset({"openai", "anthropic"})
"""Providers whose models run elsewhere, whatever their address."""
_SECRET_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "cookie"})
_SECRET_NAME = re.compile(r"(^|_)(TOKEN|KEY|SECRET|PASSWORD)($|_)", re.IGNORECASE)
_SERVE_ARGS = {
    "--model": "it is `model`",
    "--served-model-name": "it is `model`",
    "--max-model-len": "set context_tokens",
    "--dtype": "set serve.dtype",
    "--tensor-parallel-size": "set serve.tensor_parallel",
    "-tp": "set serve.tensor_parallel",
    "--revision": "set serve.revision",
    "--chat-template": "set serve.chat_template",
    "--gpu-memory-utilization": "set serve.gpu_memory_utilization",
    "--port": "set serve.port",
    "--host": "it serves this machine alone",
    "--api-key": "a key is drawn for each run",
    "--runner": "only models that write can be asked",
}
"""vLLM's arguments that have a place of their own in the file."""


class Strict(BaseModel):
    """A part of the experiment file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise ValueError(f"base_url {url!r} is no address; write it like http://host:8000/v1")
    if parts.username or parts.password:
        raise ValueError("base_url holds a user or password; name a variable in api_key_env")


class Price(Strict):
    """What a model's tokens cost."""

    input_usd_per_m: float = Field(ge=0, description="US dollars for a million prompt tokens.")
    output_usd_per_m: float = Field(ge=0, description="US dollars for a million reply tokens.")
    cached_input_usd_per_m: float | None = Field(
        default=None, ge=0, description="The same for prompt tokens that the server had cached."
    )
    as_of: date | None = Field(default=None, description="The day the price was looked up.")


class Serve(Strict):
    """How vLLM serves a model that is started here."""

    python: str | None = Field(
        default=None,
        description="The python of the environment vLLM is installed in (by default this one).",
    )
    dtype: str = Field(default="auto", description="Data type of the weights, such as bfloat16.")
    tensor_parallel: int = Field(default=1, ge=1, description="GPUs that share the model (count).")
    revision: str | None = Field(default=None, description="Of a hub's model: branch or commit.")
    chat_template: str | None = Field(
        default=None, description="A chat template in place of the model's: a file, or its text."
    )
    gpu_memory_utilization: float | None = Field(
        default=None, gt=0, le=1, description="Share of a GPU's memory that vLLM takes."
    )
    port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Its port here (by default a free one).",
    )
    args: list[str] = Field(
        default_factory=list,
        description="Further arguments of `vllm serve`, such as --max-num-seqs=256.",
    )
    env: dict[str, str] = Field(
        default_factory=dict,
        description="Environment variables for it, recorded with the experiment; what it inherits"
        " is not.",
    )
    beside: bool = Field(
        default=False,
        description="Whether it is served at the same time as other models, with a share of the"
        " machine that you give it, instead of when its turn comes.",
    )
    start_s: float = Field(
        default=900.0, gt=0, description="Time it has to load the model and answer (seconds)."
    )

    @model_validator(mode="after")
    def _check(self) -> Serve:
        for word in self.args:
            own = _SERVE_ARGS.get(word.partition("=")[0].replace("_", "-"))
            if own is not None:
                raise ValueError(f"serve.args may not set {word.partition('=')[0]}; {own}")
        for name in self.env:
            if _SECRET_NAME.search(name):
                raise ValueError(f"serve.env is recorded; export {name} instead, it is inherited")
        return self


class ModelSpec(Strict):
    """One model to ask."""

    name: Slug = Field(description="The model's name in tables.")
    provider: ProviderName = Field(
        description="`openai`: any compatible endpoint. `anthropic`: the Messages API. `local`: a"
        " GGUF model, served here. `transformers`: a model computed here, which tells how likely"
        " texts are. `vllm`: a vLLM server, started here or running already."
    )
    model: str = Field(
        min_length=1,
        description="For `openai` and `anthropic` the model's id; for `local` an asset's name or a"
        " GGUF file; for `transformers` and `vllm` a model's folder too.",
    )
    base_url: str | None = Field(
        default=None, description="Where the endpoint's API begins, such as http://host:8000/v1."
    )
    endpoint: str | None = Field(
        default=None,
        description="A name for where the model is served that outlives its address: it stands in"
        " the cells' keys in place of `base_url`, so that a server may move.",
    )
    api: ApiName = Field(
        default="chat",
        description="`chat`: /chat/completions. `completions`: the older /completions.",
    )
    api_key_env: str | None = Field(
        default=None, description="The environment variable that holds the key; never the key."
    )
    headers: dict[_HeaderName, _HeaderValue] = Field(
        default_factory=dict,
        description="Further headers, sent as they are and recorded with the experiment.",
    )
    headers_env: dict[_HeaderName, str] = Field(
        default_factory=dict,
        description="Further headers whose values stand in environment variables, by name.",
    )
    max_in_flight: int | None = Field(
        default=None,
        ge=1,
        description="Requests open at once (by default what the server bears, at most 256; local"
        " 1, where replies repeat exactly).",
    )
    requests_per_min: float | None = Field(
        default=None, gt=0, description="Requests started a minute; else learned from headers."
    )
    tokens_per_min: float | None = Field(
        default=None, gt=0, description="Prompt and reply tokens a minute; else learned."
    )
    input_tokens_per_min: float | None = Field(
        default=None, gt=0, description="Prompt tokens a minute; else learned from headers."
    )
    output_tokens_per_min: float | None = Field(
        default=None, gt=0, description="Reply tokens a minute; else learned from headers."
    )
    connect_s: float = Field(default=30.0, gt=0, description="Time to connect in (seconds).")
    first_byte_s: float | None = Field(
        default=None,
        gt=0,
        description="Time for the answer to begin in (seconds; by default `timeout_s`).",
    )
    timeout_s: float = Field(
        default=300.0,
        gt=0,
        description="Time of one attempt (seconds); 3,600 unless told for `transformers`.",
    )
    attempts: int = Field(
        default=6,
        ge=1,
        description="Tries at a cell before it counts as failed; waiting for quota is no try.",
    )
    patience_s: float = Field(
        default=900.0,
        gt=0,
        description="How long the server may refuse for quota or load, with no reply between,"
        " before the model is given up for this run (seconds).",
    )
    sentinels: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Cells that are asked again through the run, to see whether the same request"
        " still gets the same reply; each repeat costs a request.",
    )
    sentinel_every: int = Field(
        default=200, ge=1, description="Replies between two repeats of a sentinel (count)."
    )
    context_tokens: int = Field(
        default=2048,
        ge=256,
        description="Context of each request (tokens): of the local server, or where set what an"
        " endpoint bears. Long texts are cut into windows that the smallest of the models bears.",
    )
    structured: bool = Field(
        default=False,
        description="The endpoint takes a JSON schema (`response_format`): answers that have one"
        " are asked for in it, all others in prose.",
    )
    params: dict[str, ParamValue] = Field(
        default_factory=dict,
        description="Sampling parameters, sent as they are. A `seed` goes up by one a sample; with"
        " `n` one request brings that many samples.",
    )
    extra_body: dict[str, ParamValue] = Field(
        default_factory=dict,
        description="What the endpoint takes beside the usual parameters; sent like `params`.",
    )
    serve: Serve | None = Field(
        default=None, description="For `vllm`: how it is started; left out where one runs already."
    )
    price: Price | None = Field(
        default=None, description="What tokens cost; well-known models have a dated price already."
    )
    mode: ModeName = Field(
        default="live",
        description="`batch`: requests are handed over many at a time, for half the price and"
        " within a day (`openai` and `anthropic`). It changes no reply, so it is no part of the"
        " keys.",
    )
    batch_discount: float = Field(
        default=0.5,
        ge=0,
        lt=1,
        description="What a batch takes off `price`, which is the live one (a share).",
    )
    batch_requests: int | None = Field(
        default=None,
        ge=1,
        description="Requests of one batch at most (count; by default what the provider takes:"
        " 50,000, Anthropic 100,000).",
    )
    batch_mb: float | None = Field(
        default=None,
        gt=0,
        description="Size of one batch at most (millions of bytes; by default what the provider"
        " takes: 200, Anthropic 256).",
    )
    batch_queued_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Prompt tokens in open batches at most (an estimate), where the account has"
        " such a limit; what does not fit waits for a batch to end.",
    )
    batch_poll_s: float = Field(
        default=30.0,
        gt=0,
        description="Time until an open batch is first looked at again (seconds); it grows by half"
        " each time, up to twenty times as long.",
    )

    @model_validator(mode="after")
    def _check(self) -> ModelSpec:
        if self.provider == "openai" and self.base_url is None:
            raise ValueError("provider openai needs base_url")
        if self.provider == "local" and self.base_url is not None:
            raise ValueError("provider local starts its own server; leave base_url out")
        if self.provider == "local" and (self.api != "chat" or self.request_samples != 1):
            raise ValueError("provider local takes api = 'chat' and no n")
        self._check_transformers()
        self._check_anthropic()
        self._check_batch()
        self._check_serve()
        if self.structured and (self.api != "chat" or "response_format" in self.body_params):
            raise ValueError("structured takes api = 'chat' and no response_format of your own")
        if self.base_url is not None:
            _check_url(self.base_url)
        self._check_body()
        secret = _SECRET_HEADERS & {name.lower() for name in self.headers}
        if secret:
            raise ValueError(
                f"headers are recorded; give {', '.join(sorted(secret))} in headers_env"
            )
        return self

    def _check_transformers(self) -> None:
        if self.provider != "transformers":
            return
        if self.base_url is not None:
            raise ValueError("provider transformers starts its own process; leave base_url out")
        if self.structured or self.request_samples != 1:
            raise ValueError("provider transformers takes neither structured nor n")

    def _check_anthropic(self) -> None:
        if self.provider != "anthropic":
            return
        if self.api != "chat" or self.structured or self.request_samples != 1:
            raise ValueError("provider anthropic takes api = 'chat', and neither structured nor n")
        if not isinstance(self.body_params.get("max_tokens"), int):
            raise ValueError("provider anthropic needs max_tokens in params")
        if self.api_key_env is None:
            raise ValueError("provider anthropic needs api_key_env, such as ANTHROPIC_API_KEY")

    def _check_batch(self) -> None:
        if self.mode != "batch":
            return
        if self.provider not in _REMOTE:
            raise ValueError("mode batch goes with provider openai or anthropic")
        if self.sentinels:
            raise ValueError("sentinels are asked one at a time; leave them out in mode batch")

    def _check_serve(self) -> None:
        if self.provider != "vllm" and self.serve is not None:
            raise ValueError("serve goes with provider = 'vllm'")
        if self.provider != "vllm":
            return
        if self.base_url is not None and self.serve is not None:
            raise ValueError("base_url names a server that runs already; leave serve out")
        if self.base_url is None and self.api_key_env is not None:
            raise ValueError("vLLM started here has a key of its own; leave api_key_env out")

    def _check_body(self) -> None:
        try:
            canonical([self.params, self.extra_body])
        except (TypeError, ValueError):
            raise ValueError("params holds what JSON cannot: NaN, infinity or a date") from None
        taken = _RESERVED_PARAMS & self.body_params.keys()
        if taken:
            raise ValueError(f"params may not set {', '.join(sorted(taken))}")
        twice = self.params.keys() & self.extra_body.keys()
        if twice:
            raise ValueError(f"params and extra_body both set {', '.join(sorted(twice))}")
        samples = self.body_params.get("n", 1)
        if not isinstance(samples, int) or isinstance(samples, bool) or samples < 1:
            raise ValueError(f"n must be a whole number of at least 1, found {samples!r}")

    @property
    def body_params(self) -> dict[str, ParamValue]:
        """All that is sent beside the model and the prompt when a reply is asked for."""
        sent = {**self.params, **self.extra_body}
        sent.pop(_OF_LIKELIHOODS, None)
        return sent

    @property
    def serve_here(self) -> Serve:
        """How vLLM serves it, where it is started here."""
        return self.serve or Serve()

    @property
    def request_samples(self) -> int:
        """Samples that one request brings (count)."""
        samples = self.body_params.get("n", 1)
        return samples if isinstance(samples, int) else 1

    @property
    def likeliest(self) -> int:
        """Likeliest tokens in each place that a likelihood asks for (count)."""
        told = {**self.params, **self.extra_body}.get(_OF_LIKELIHOODS)
        return told if isinstance(told, int) and not isinstance(told, bool) and told > 0 else 1

    @property
    def weights_here(self) -> bool:
        """Whether it is served from weights that lie here, which then stand for it in keys."""
        return self.provider not in _REMOTE and self.base_url is None

    @property
    def in_turn(self) -> bool:
        """Whether it is started here and needs the machine to itself."""
        started = self.provider in {"transformers", "vllm"} and self.base_url is None
        return started and not self.serve_here.beside

    @property
    def known_context(self) -> int | None:
        """The context it is known to bear (tokens); None where the file does not say."""
        told = self.weights_here or "context_tokens" in self.model_fields_set
        return self.context_tokens if told else None

    @property
    def reply_tokens(self) -> int:
        """Tokens a reply may take (count), as far as the parameters say."""
        for name in ("max_completion_tokens", "max_tokens"):
            value = self.body_params.get(name)
            if isinstance(value, int):
                return value
        return _REPLY_TOKENS
