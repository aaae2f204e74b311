"""An experiment with simulated subjects in the place of its models, all else as its file says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from probe.model_spec import ModelSpec
from probe.simulate.errors import NotPlanted
from probe.simulate.gold import check
from probe.spec import Spec

NOWHERE: Final = "http://127.0.0.1:9/v1"
"""An address for a plan that is not asked."""
_MOST_CHOICES: Final = 128
_BASELINE: Final = "baseline"
_ORIGINAL: Final = "original"


def with_subjects(
    spec: Spec, subjects: Sequence[str], *, base_url: str = NOWHERE, kind: str = "", items: int = 0
) -> Spec:
    """The experiment, asked of subjects.

    They take windows as long as the models' own, and JSON where a model takes it. All samples come
    with one request; limits on the length of replies are left out.

    Args:
        spec: The user's.
        subjects: Their names, each a model.
        base_url: Of the endpoint that plays them.
        kind: What stands for them in keys, in place of the address.
        items: Of each task and dataset, in place of the file's limit; 0 leaves that.

    Raises:
        NotPlanted: It has a task that cannot be played.
    """
    check(spec)
    models = [_subject(spec, name, base_url, kind) for name in subjects]
    tasks = [task.model_copy(update={"limit": items}) for task in spec.tasks] if items else None
    return spec.model_copy(update={"models": models, "tasks": tasks or spec.tasks})


def nr_of(spec: Spec) -> str:
    """The name strategy that stands for changed names: `cross_culture`, or the first that is one.

    Where none is asked, `cross_culture`, of which there is then no contrast.
    """
    changed = [names for names in spec.conditions.names if names != _ORIGINAL]
    usual = "cross_culture"
    return usual if usual in changed or not changed else changed[0]


def check_compared(spec: Spec) -> None:
    """Refuse an experiment whose conditions make no contrast.

    Raises:
        NotPlanted: They do not.
    """
    names, prompts = spec.conditions.names, spec.conditions.prompts
    by_names = _ORIGINAL in names and len(names) > 1
    if _BASELINE not in prompts or not (by_names or len(prompts) > 1):
        found = "no two of them make a contrast"
        fix = "ask the prompt baseline, under original and another name strategy or beside gist"
        raise NotPlanted("conditions", found, fix)


def _subject(spec: Spec, name: str, base_url: str, kind: str) -> ModelSpec:
    samples = spec.conditions.samples
    params = {"n": samples} if 1 < samples <= _MOST_CHOICES else {"seed": 0} if samples > 1 else {}
    subject = ModelSpec(
        name=name,
        provider="openai",
        model=name,
        base_url=base_url,
        endpoint=f"planted:{kind}",
        max_in_flight=1,
        structured=any(model.structured for model in spec.models),
        params=params,
    )
    room = min(
        (own.known_context - own.reply_tokens for own in spec.models if own.known_context),
        default=None,
    )
    if room is None:
        return subject
    told = max(256, room + subject.reply_tokens)
    return subject.model_copy(update={"context_tokens": told})
