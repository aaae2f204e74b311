"""The experiment file: one TOML file says it all, and unknown keys are errors.

Every field's meaning and unit stands in its description, from which reference pages are made.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from probe.errors import SpecError
from prompts import NAMES, PROMPTS, Choices, Names, PromptName
from prompts.datasets import dataset_named
from prompts.errors import UnknownName
from prompts.names.lists import name_list
from prompts.tasks import task_named
from store.catalogue import MODELS
from store.keys import canonical

ProviderName: TypeAlias = Literal["openai", "local"]
ApiName: TypeAlias = Literal["chat", "completions"]
ParamValue: TypeAlias = str | int | float | bool | list[Any] | dict[str, Any]
_Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
_HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]
_HeaderValue = Annotated[str, Field(pattern=r"^[\x20-\x7e]*$")]
_RESERVED_PARAMS = frozenset({"model", "messages", "prompt", "stream"})
_SECRET_HEADERS = frozenset({"authorization", "api-key", "x-api-key", "cookie"})


class _Strict(BaseModel):
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


class Price(_Strict):
    """What a model's tokens cost."""

    input_usd_per_m: float = Field(ge=0, description="US dollars for a million prompt tokens.")
    output_usd_per_m: float = Field(ge=0, description="US dollars for a million reply tokens.")
    cached_input_usd_per_m: float | None = Field(
        default=None, ge=0, description="The same for prompt tokens that the server had cached."
    )
    as_of: date | None = Field(default=None, description="The day the price was looked up.")


class ModelSpec(_Strict):
    """One model to ask."""

    name: _Slug = Field(description="The model's name in tables.")
    provider: ProviderName = Field(
        description="`openai`: any compatible endpoint. `local`: a GGUF model, served here."
    )
    model: str = Field(
        min_length=1,
        description="For `openai` the model's id; for `local` an asset's name or a GGUF file.",
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
    timeout_s: float = Field(default=300.0, gt=0, description="Time of one attempt (seconds).")
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
    context_tokens: int = Field(
        default=2048, ge=256, description="Context of each request on the local server (tokens)."
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
    price: Price | None = Field(
        default=None, description="What tokens cost; well-known models have a dated price already."
    )

    @model_validator(mode="after")
    def _check(self) -> ModelSpec:
        if self.provider == "openai" and self.base_url is None:
            raise ValueError("provider openai needs base_url")
        if self.provider == "local" and self.base_url is not None:
            raise ValueError("provider local starts its own server; leave base_url out")
        if self.provider == "local" and (self.api != "chat" or self.request_samples != 1):
            raise ValueError("provider local takes api = 'chat' and no n")
        if self.base_url is not None:
            _check_url(self.base_url)
        self._check_body()
        secret = _SECRET_HEADERS & {name.lower() for name in self.headers}
        if secret:
            raise ValueError(
                f"headers are recorded; give {', '.join(sorted(secret))} in headers_env"
            )
        return self

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
        """All that is sent beside the model and the prompt."""
        return {**self.params, **self.extra_body}

    @property
    def request_samples(self) -> int:
        """Samples that one request brings (count)."""
        samples = self.body_params.get("n", 1)
        return samples if isinstance(samples, int) else 1


class TaskSpec(_Strict):
    """One task over one dataset."""

    name: str = Field(description="The task's name, such as character_guessing.")
    dataset: str = Field(description="The dataset's name; `probe data list` shows them.")
    path: str | None = Field(
        default=None,
        description="The dataset's file or folder, from the experiment file's folder or from here.",
    )
    limit: int | None = Field(
        default=None, ge=1, description="Items, drawn with the seed; growing it keeps those drawn."
    )
    works: list[str] = Field(default_factory=list, description="Only these works, by title.")
    excerpt_words: int = Field(
        default=300, ge=20, description="Words of an excerpt cut from a longer text (a target)."
    )
    choices: Choices | None = Field(
        default=None, description="Whether answers are offered; by default as the task does it."
    )
    options: int = Field(default=10, ge=2, description="Titles offered where choices are options.")
    wording: dict[PromptName, str] = Field(
        default_factory=dict, description="Instructions in place of the task's own, by prompt."
    )

    @model_validator(mode="after")
    def _check(self) -> TaskSpec:
        try:
            task, dataset = task_named(self.name), dataset_named(self.dataset)
        except UnknownName as error:
            raise ValueError(str(error)) from None
        if self.name not in dataset.tasks:
            raise ValueError(
                f"dataset {self.dataset!r} has no items for {self.name!r}, only for "
                f"{', '.join(dataset.tasks)}"
            )
        if self.path is None and dataset.asset is None:
            raise ValueError(f"dataset {self.dataset!r} needs path: {dataset.path_help}")
        if task.needs_options and self.choices == "open":
            raise ValueError(f"task {self.name!r} always offers its options")
        return self

    @property
    def asked(self) -> Choices:
        """Whether this task offers its options."""
        return self.choices or ("options" if task_named(self.name).needs_options else "open")


class Conditions(_Strict):
    """Which conditions every item is asked under."""

    names: list[Names] = Field(default=list(NAMES), min_length=1, description="Name strategies.")
    prompts: list[PromptName] = Field(default=list(PROMPTS), min_length=1, description="Prompts.")
    samples: int = Field(default=1, ge=1, description="Replies asked for in each cell.")
    cross_culture: str = Field(
        default="chinese", description="The name list that cross_culture draws from."
    )

    @model_validator(mode="after")
    def _check(self) -> Conditions:
        try:
            name_list(self.cross_culture)
        except UnknownName as error:
            raise ValueError(str(error)) from None
        for field in ("names", "prompts"):
            values = getattr(self, field)
            if len(set(values)) < len(values):
                raise ValueError(f"{field} lists something twice")
        return self


class Spec(_Strict):
    """An experiment."""

    name: _Slug = Field(description="The experiment's name; resuming goes by it.")
    seed: int = Field(
        default=0, ge=0, lt=2**63, description="Drives every draw: items, options, names."
    )
    models: list[ModelSpec] = Field(min_length=1)
    tasks: list[TaskSpec] = Field(min_length=1)
    conditions: Conditions = Field(default_factory=Conditions)

    @model_validator(mode="after")
    def _check(self) -> Spec:
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise ValueError("two models have the same name")
        for model in self.models:
            if self.conditions.samples % model.request_samples:
                raise ValueError(
                    f"model {model.name}: n = {model.request_samples} does not divide"
                    f" samples = {self.conditions.samples}"
                )
        kinds = [(task.name, task.dataset, task.asked) for task in self.tasks]
        if len(set(kinds)) < len(kinds):
            raise ValueError("two tasks have the same name, dataset and choices")
        return self


def read_spec(path: Path) -> Spec:
    """An experiment file, checked.

    Raises:
        SpecError: It is missing, not TOML, or says something that cannot be; every problem is
            named with its place, and an unknown key with the nearest known one.
    """
    return parse_spec(read_toml(path), path)


def parse_spec(text: str, path: Path) -> Spec:
    """An experiment from the text of its file; `path` is for messages. Raises as `read_spec`."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(path, (f"not TOML: {error}",)) from None
    try:
        return Spec.model_validate(raw)
    except ValidationError as error:
        raise SpecError(path, tuple(_problem(each) for each in error.errors())) from None


def read_toml(path: Path) -> str:
    """The experiment file's text."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError(path, ("no such file; name an experiment file",)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(path, (f"cannot be read: {error}",)) from None


def _problem(error: ErrorDetails) -> str:
    place = ".".join(
        f"[{part}]" if isinstance(part, int) else str(part) for part in error["loc"]
    ).replace(".[", "[")
    if error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        near = difflib.get_close_matches(key, _known_keys(error["loc"][:-1]), n=1)
        hint = (
            f"did you mean {near[0]!r}?"
            if near
            else f"known: {', '.join(_known_keys(error['loc'][:-1]))}"
        )
        return f"unknown key {place}; {hint}"
    if error["type"] == "missing":
        return f"{place} is missing"
    message = error["msg"].removeprefix("Value error, ")
    found = error.get("input")
    shown = f", found {found!r}" if isinstance(found, (str, int, float, bool)) else ""
    return f"{place}: {message[:1].lower()}{message[1:]}{shown}" if place else message


def _known_keys(location: tuple[str | int, ...]) -> list[str]:
    """The keys of the model that a place in the file belongs to."""
    model: type[BaseModel] = Spec
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            found = _model_in(model.model_fields[part].annotation)
            model = found or model
    return list(model.model_fields)


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)


def dataset_path(task: TaskSpec, spec_path: Path) -> Path | None:
    """Where a task's dataset lies, if the file gives a path.

    Raises:
        SpecError: Nothing is there.
    """
    if task.path is None:
        return None
    tried = [spec_path.parent / task.path, Path(task.path)]
    for path in tried:
        if path.exists():
            return path
    places = " nor at ".join(dict.fromkeys(os.path.normpath(path) for path in tried))
    raise SpecError(spec_path, (f"task {task.name}: no file or folder at {places}",))


def model_file(model: ModelSpec, spec_path: Path) -> Path | None:
    """The GGUF file a local model names by path; None where it names an asset.

    Raises:
        SpecError: It is neither an asset nor a file.
    """
    if model.model in MODELS:
        return None
    for path in (spec_path.parent / model.model, Path(model.model).expanduser()):
        if path.is_file():
            return path
    near = difflib.get_close_matches(model.model, MODELS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known models: {', '.join(MODELS)}"
    raise SpecError(spec_path, (f"model {model.name}: no file {model.model}; {hint}",))
