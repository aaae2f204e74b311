"""Which works of a dataset an experiment asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prompts.errors import UnknownName
from prompts.tasks.titles import same_title


def works_chosen(
    wanted: Iterable[str], known: Iterable[tuple[str, ...]]
) -> Callable[[Iterable[str]], bool]:
    """Says of a work's titles whether an experiment asks for that work.

    Args:
        wanted: Titles as the experiment spells them; all works if there are none.
        known: The titles of each work of the dataset, the shown one first.

    Raises:
        UnknownName: A wanted title is no title of any work; the message names the nearest.
    """
    titles, asked = list(known), tuple(wanted)
    for title in asked:
        if not any(same_title(title, own) for each in titles for own in each):
            raise UnknownName("work", title, dict.fromkeys(each[0] for each in titles))

    def chosen(own: Iterable[str]) -> bool:
        names = tuple(own)
        return not asked or any(same_title(title, name) for title in asked for name in names)

    return chosen
