"""What an experiment file tells of how hard a model may be asked."""

from __future__ import annotations

from probe.model_spec import ModelSpec
from probe.pace import Pace, attempt_s, free_cores, idle_cores, pace_of


def model(**told: object) -> ModelSpec:
    usual = {"name": "m", "provider": "openai", "model": "m", "base_url": "http://host/v1"}
    return ModelSpec.model_validate(usual | told)


def local(**told: object) -> ModelSpec:
    return model(provider="local", base_url=None, **told)


def test_without_limits_the_ceiling_moves_and_no_rate_is_assumed() -> None:
    pace = pace_of(model())

    assert 1 <= pace.window < pace.in_flight
    assert pace.per_min == {}


def test_a_ceiling_that_is_told_does_not_move() -> None:
    assert pace_of(model(max_in_flight=7)) == Pace(in_flight=7, window=7)


def test_every_limit_that_is_told_is_kept_under_its_kind() -> None:
    told = model(
        requests_per_min=1, tokens_per_min=2, input_tokens_per_min=3, output_tokens_per_min=4
    )

    assert pace_of(told).per_min == {
        "requests": 1,
        "tokens": 2,
        "input_tokens": 3,
        "output_tokens": 4,
    }


def test_a_local_model_is_asked_one_thing_at_a_time_unless_told() -> None:
    """Where requests share a batch, replies do not repeat exactly."""
    assert pace_of(local()) == Pace(in_flight=1, window=1)
    assert pace_of(local(max_in_flight=4)) == Pace(in_flight=4, window=4)


def test_who_computes_on_this_machine_has_an_hour_unless_told() -> None:
    """What waits in its line is not taken for hanging, and asked again on top."""
    transformers = {"provider": "transformers", "base_url": None}

    assert attempt_s(model()) == 300
    assert attempt_s(model(timeout_s=7)) == 7
    assert attempt_s(model(**transformers)) == 3_600
    assert attempt_s(model(**transformers, timeout_s=7)) == 7


def test_there_is_always_a_core_to_work_with() -> None:
    assert 1 <= idle_cores(over_s=0.01) <= free_cores()
