"""The name strategies: what becomes of a cast's names, by name.

The paper's levels are `masked`, `same_culture` and `cross_culture` (section 5.1), its gender swap
the `_swapped` ones (appendix E.1, E.2), its control test `other_cast` (E.4), and its own lists of
names the maps `paper_…` (Table 7, E.1 to E.3). Masks say nothing of gender, so there is no
`masked_swapped`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from prompts.errors import UnknownName
from prompts.names.maps import DRAWN, NamedMap, built_in_maps

Base: TypeAlias = Literal[
    "original", "masked", "same_culture", "cross_culture", "other_cast", "named_map"
]
_NO_MAPS: Final[Mapping[str, NamedMap]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One way to show a cast's names.

    Attributes:
        base: `same_culture` and `cross_culture` draw from lists, `other_cast` from another work's
            cast; `named_map` replaces the names that a map lists and no others.
        swapped: Whether given names come from the other gender's list. Titles and pronouns stay, so
            that "Miss Jane" may become "Miss Andrew". People of unknown gender get either kind.
        named_map: The map of `named_map`; None otherwise.
    """

    name: str
    base: Base
    swapped: bool = False
    named_map: NamedMap | None = None


_DRAWN: Final = (
    Strategy(name="original", base="original"),
    Strategy(name="masked", base="masked"),
    Strategy(name="same_culture", base="same_culture"),
    Strategy(name="cross_culture", base="cross_culture"),
    Strategy(name="same_culture_swapped", base="same_culture", swapped=True),
    Strategy(name="cross_culture_swapped", base="cross_culture", swapped=True),
    Strategy(name="other_cast", base="other_cast"),
)
STRATEGIES: Final = (
    *DRAWN,
    "paper_cross_culture",
    "paper_cross_culture_swapped",
    "paper_same_culture",
    "paper_same_culture_swapped",
    "paper_speakers",
)
"""Names of the built-in strategies."""


def strategy_named(name: str, maps: Mapping[str, NamedMap] = _NO_MAPS) -> Strategy:
    """A strategy by its name.

    Args:
        name: One of `STRATEGIES`, or of `maps`.
        maps: Name maps of one's own, as `read_maps` gives them.

    Raises:
        UnknownName: There is no such strategy and no such map.
    """
    for strategy in _DRAWN:
        if strategy.name == name:
            return strategy
    known = {**built_in_maps(), **maps}
    if name not in known:
        raise UnknownName("name strategy", name, [*DRAWN, *known])
    return Strategy(name=name, base="named_map", named_map=known[name])
