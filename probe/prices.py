"""What models' tokens cost: as the experiment file says, else from a small dated table."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

from probe.model_spec import ModelSpec, Price

_FREE: Final = Price(input_usd_per_m=0, output_usd_per_m=0)


@cache
def _table() -> dict[str, dict[str, Price]]:
    """Host -> model -> price."""
    text = (files("probe") / "prices.toml").read_text(encoding="utf-8")
    hosts: dict[str, dict[str, Price]] = {}
    for entry in tomllib.loads(text)["price"]:
        host, model = entry.pop("host"), entry.pop("model")
        hosts.setdefault(host, {})[model] = Price.model_validate(entry)
    return hosts


def price_of(model: ModelSpec) -> Price | None:
    """A model's price: the file's own, nothing for a local one, else the table's; None if unknown.

    The table goes by the endpoint's host: the same model costs something else elsewhere. In batches
    it is what the discount leaves.
    """
    live = _live_price(model)
    if live is None or model.mode != "batch":
        return live
    left = 1 - model.batch_discount
    cached = live.cached_input_usd_per_m
    return live.model_copy(
        update={
            "input_usd_per_m": left * live.input_usd_per_m,
            "output_usd_per_m": left * live.output_usd_per_m,
            "cached_input_usd_per_m": None if cached is None else left * cached,
        }
    )


def _live_price(model: ModelSpec) -> Price | None:
    if model.price is not None:
        return model.price
    if model.weights_here:
        return _FREE
    host = urlsplit(model.base_url or "").hostname or ""
    return _table().get(host, {}).get(model.model)
