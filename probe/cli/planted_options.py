"""Options that say what subjects with planted memory remember and can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

_Decorator = Callable[[Callable[..., None]], Callable[..., None]]

PLANTED: Final[dict[str, tuple[float, str]]] = {
    "known": (0.5, "that a subject knows a work"),
    "by-names": (0.8, "that it recognises a passage of a known work by its names"),
    "by-wording": (0.3, "that it recognises it by its wording, whatever the names"),
    "skill": (0.4, "that it answers a unit rightly that it does not recognise"),
    "verbatim": (0.0, "that the verbatim prompt makes it recognise what it would not"),
    "gist": (0.0, "that the gist prompt keeps it from using what it recognises"),
    "refuse": (0.02, "that a reply is a refusal"),
    "garble": (0.02, "that a reply is garbled"),
}
"""By flag: what it is where it is not given, and what it is the probability of."""


def planted_options(where: str) -> _Decorator:
    """All of them; each is None where it is not given.

    Args:
        where: Begins each help text, such as "With --replies planted: ".
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        for flag, (default, what) in reversed(PLANTED.items()):
            words = f"{where}probability, from 0 to 1, {what}.  [default: {default}]"
            option: _Decorator = click.option(
                f"--{flag}", type=float, metavar="P", help=words[:1].upper() + words[1:]
            )
            function = option(function)
        return function

    return decorate
