"""The experiment file: one TOML file says it all, and unknown keys are errors.

Every field's meaning and unit stands in its description, from which reference pages are made.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from probe.cluster.table import RaySpec
from probe.conditions import asked_prompts
from probe.errors import SpecError
from probe.model_spec import ModelSpec, Slug, Strict
from prompts import NAMES, PROMPTS, Choices, Names, PromptName
from prompts.datasets import dataset_named
from prompts.datasets.homes import homes
from prompts.descriptions import NONE
from prompts.errors import UnknownName
from prompts.names.lists import name_list
from prompts.names.strategies import strategy_named
from prompts.tasks import Task, task_named
from prompts.wordings import OWN
from store.catalogue import MODELS


def _known(find: Callable[[str], object], name: str, place: str = "") -> None:
    """Check that there is something of a name, and tell pydantic where there is not."""
    try:
        find(name)
    except UnknownName as error:
        raise ValueError(f"{place}{error}") from None


class TaskSpec(Strict):
    """One task over one dataset."""

    name: str = Field(description="The task's name, such as character_guessing.")
    dataset: str = Field(description="The dataset's name; `probe data list` shows them.")
    path: str | None = Field(
        default=None,
        description="The dataset's file or folder, from the experiment file's folder or from here.",
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="Items, drawn with the seed; growing it keeps those drawn. Windows of one text"
        " that are answered as one (summaries) are drawn together.",
    )
    works: list[str] = Field(default_factory=list, description="Only these works, by title.")
    excerpt_words: int = Field(
        default=300, ge=20, description="Words of an excerpt cut from a longer text (a target)."
    )
    choices: Choices | None = Field(
        default=None, description="Whether answers are offered; by default as the task does it."
    )
    options: int = Field(default=10, ge=2, description="Titles offered where choices are options.")
    window_words: int | None = Field(
        default=None,
        ge=50,
        description="Words of a window where texts are cut to fit a model's context; by default as"
        " many as the smallest known context bears, and whole texts where none is known.",
    )

    @model_validator(mode="after")
    def _check(self) -> TaskSpec:
        try:
            task, dataset = task_named(self.name), dataset_named(self.dataset)
        except UnknownName as error:
            raise ValueError(str(error)) from None
        known = (*dataset.tasks, *dataset.derives)
        if self.name not in known:
            raise ValueError(
                f"dataset {self.dataset!r} has no items for {self.name!r}, only for "
                f"{', '.join(known)}"
            )
        if self.path is None and dataset.asset is None and self.dataset not in homes():
            raise ValueError(f"dataset {self.dataset!r} needs path: {dataset.path_help}")
        if task.needs_options and self.choices == "open":
            raise ValueError(f"task {self.name!r} always offers its options")
        return self

    @property
    def asked(self) -> Choices:
        """Whether this task offers its options."""
        return self.choices or ("options" if task_named(self.name).needs_options else "open")


class Conditions(Strict):
    """Which conditions every item is asked under."""

    names: list[Names] = Field(default=list(NAMES), min_length=1, description="Name strategies.")
    prompts: list[PromptName] = Field(default=list(PROMPTS), min_length=1, description="Prompts.")
    samples: int = Field(default=1, ge=1, description="Replies asked for in each cell.")
    cross_culture: str = Field(
        default="chinese", description="The name list that cross_culture draws from."
    )
    match_length: bool = Field(
        default=False,
        description="Whether replacements are about as long as the names they replace.",
    )
    wordings: list[str] | None = Field(
        default=None,
        min_length=1,
        description="Wordings of the prompts, as replicates: `own` and those of `[wordings]`; by"
        " default those of `[wordings]`, or `own` where there are none.",
    )
    descriptions: list[str] = Field(
        default=[NONE],
        min_length=1,
        description="Descriptions of the characters before the passage: `none` and those of"
        " `[descriptions]`.",
    )

    @model_validator(mode="after")
    def _check(self) -> Conditions:
        _known(name_list, self.cross_culture)
        for field in ("names", "prompts", "wordings", "descriptions"):
            values = getattr(self, field) or []
            if len(set(values)) < len(values):
                raise ValueError(f"{field} lists something twice")
        return self


class Spec(Strict):
    """An experiment."""

    name: Slug = Field(description="The experiment's name; resuming goes by it.")
    seed: int = Field(
        default=0, ge=0, lt=2**63, description="Drives every draw: items, options, names."
    )
    models: list[ModelSpec] = Field(min_length=1)
    tasks: list[TaskSpec] = Field(min_length=1)
    conditions: Conditions = Field(default_factory=Conditions)
    wordings: dict[Slug, str] = Field(
        default_factory=dict,
        description="Files of other wordings of the prompts, by an id that stands in tables.",
    )
    descriptions: dict[Slug, str] = Field(
        default_factory=dict,
        description="Files of descriptions of the characters (`probe describe`), by id.",
    )
    name_maps: str | None = Field(
        default=None, description="A file of name maps of your own, to be named among `names`."
    )
    ray: RaySpec = Field(default_factory=RaySpec)

    @property
    def asked_wordings(self) -> tuple[str, ...]:
        """Ids of the wordings that every item is asked in."""
        return tuple(self.conditions.wordings or self.wordings or [OWN])

    def conditions_each(self, task: TaskSpec) -> int:
        """Conditions that every item of a task is asked under (count)."""
        own, asked = self.conditions, task_named(task.name)
        each = len(own.names) * len(asked_prompts(asked, own.prompts))
        if asked.asks != "reply":
            return each
        return each * len(self.asked_wordings) * len(own.descriptions)

    @model_validator(mode="after")
    def _check_names(self) -> Spec:
        if self.name_maps is None:  # else the file of maps says which more there are
            for name in self.conditions.names:
                _known(strategy_named, name, "conditions.names: ")
        return self

    @model_validator(mode="after")
    def _check(self) -> Spec:
        for kind, asked, files, plain in (
            ("wordings", self.asked_wordings, self.wordings, OWN),
            ("descriptions", self.conditions.descriptions, self.descriptions, NONE),
        ):
            if plain in files:
                raise ValueError(f"{kind}: the id {plain!r} is taken; choose another")
            for unknown in set(asked) - {*files, plain}:
                known = UnknownName(f"id in conditions.{kind}", unknown, [*files, plain])
                raise ValueError(f"{known}; give its file under [{kind}]")
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise ValueError("two models have the same name")
        for model in self.models:
            if self.conditions.samples % model.request_samples:
                raise ValueError(
                    f"model {model.name}: n = {model.request_samples} does not divide"
                    f" samples = {self.conditions.samples}"
                )
        for task in self.tasks:
            if not self.conditions_each(task):
                worded = ", ".join(task_named(task.name).prompts)
                raise ValueError(f"task {task.name}: none of conditions.prompts; it has {worded}")
            self._check_samples(task_named(task.name))
            self._check_batches(task_named(task.name))
        kinds = [(task.name, task.dataset, task.asked) for task in self.tasks]
        if len(set(kinds)) < len(kinds):
            raise ValueError("two tasks have the same name, dataset and choices")
        return self

    @model_validator(mode="after")
    def _check_ray(self) -> Spec:
        names = [model.name for model in self.models]
        for unknown in sorted(set(self.ray.models) - set(names)):
            raise ValueError(str(UnknownName("model in ray.models", unknown, names)))
        return self

    def _check_batches(self, task: Task) -> None:
        """What is no reply is asked for in ways that providers take in no batch."""
        batched = [model.name for model in self.models if model.mode == "batch"]
        if task.asks != "reply" and batched:
            raise ValueError(
                f"task {task.name} cannot be asked in batches; leave mode out of {batched[0]}"
            )

    def _check_samples(self, task: Task) -> None:
        """A task whose samples are decoded unlike needs several, a request each."""
        if task.decoding(0) == task.decoding(1):
            return
        if self.conditions.samples < 2:
            raise ValueError(f"task {task.name} holds draws against one another; set samples = 51")
        for model in self.models:
            if model.request_samples > 1:
                raise ValueError(f"model {model.name}: leave n out for task {task.name}")


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
    return None if task.path is None else named_path(task.path, f"task {task.name}", spec_path)


def named_path(name: str, what: str, spec_path: Path) -> Path:
    """A file or folder that the experiment file names, from its folder or from here.

    Raises:
        SpecError: Nothing is there; the message says for what it was wanted.
    """
    tried = [spec_path.parent / name, Path(name)]
    for path in tried:
        if path.exists():
            return path
    places = " nor at ".join(dict.fromkeys(os.path.normpath(path) for path in tried))
    raise SpecError(spec_path, (f"{what}: no file or folder at {places}",))


def model_file(model: ModelSpec, spec_path: Path) -> Path | None:
    """The GGUF file a local model names by path, or its folder for `transformers`; else None.

    Raises:
        SpecError: It is neither an asset nor there.
    """
    if model.model in MODELS:
        return None
    for path in (spec_path.parent / model.model, Path(model.model).expanduser()):
        if path.is_file() or (model.provider == "transformers" and path.is_dir()):
            return path
    near = difflib.get_close_matches(model.model, MODELS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known models: {', '.join(MODELS)}"
    raise SpecError(spec_path, (f"model {model.name}: no file {model.model}; {hint}",))
