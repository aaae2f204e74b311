"""The reference of the experiment file says what the model that reads it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.cluster.table import RayModel, RaySpec
from probe.model_spec import ModelSpec, Price, Serve, Strict
from probe.spec import Conditions, Spec, TaskSpec
from probe.spec_reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "experiment-file.md"
TABLES = {"models", "tasks", "conditions", "ray"}
"""Keys of the file that are tables with a part of their own."""


def test_the_page_is_what_the_model_says() -> None:
    """Else: python -m probe.spec_reference > docs/experiment-file.md."""
    assert PAGE.read_text(encoding="utf-8") == reference()


@pytest.mark.parametrize(
    "model", [Spec, ModelSpec, Price, Serve, TaskSpec, Conditions, RaySpec, RayModel]
)
def test_every_key_is_described(model: type[Strict]) -> None:
    rows = [line for line in reference().splitlines() if line.startswith("| `")]
    named = {line.split("`")[1] for line in rows if not line.endswith("|  |")}

    assert set(model.model_fields) - TABLES <= named
