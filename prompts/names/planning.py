"""Plans what an item's names become under a strategy.

A work's map is planned over its whole cast, so that a character keeps one replacement over all
items of the work, whoever is present. Only where a new name stands in an item's own texts is that
one name drawn again for the item. Masks are numbered for each item, over those present, but over
the whole cast in the windows of one document. Nothing is random but the seed: the same item gives
the same map anywhere.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from prompts.datasets.works import work_titled, works
from prompts.errors import SetAside
from prompts.item import Character, Item
from prompts.names.casts import Cast, cast_of
from prompts.names.draws import Length, ListSource, Source, cast_source, draw
from prompts.names.find import find_names, spread
from prompts.names.masks import mask
from prompts.names.replace import NameMap, replace
from prompts.names.strategies import Strategy
from prompts.names.words import fold, is_name_word, plural, words
from prompts.tasks.titles import same_title

_EMPTY = NameMap(people={}, forms={})


@dataclass(frozen=True, slots=True, kw_only=True)
class NameOptions:
    """What an experiment chooses about names beside the strategy.

    Attributes:
        cross_culture: List that `cross_culture` draws from; a work of that culture draws from
            English instead.
        seed: The experiment's seed.
        match_length: Whether the names nearest in length are drawn first.
        shuffle_masks: Whether masks are numbered in a seeded order instead of by appearance, where
            that would give something away.
        length: Measures a name for `match_length`, such as a tokenizer's count of tokens;
            characters where there is none.
    """

    cross_culture: str
    seed: int
    match_length: bool = False
    shuffle_masks: bool = False
    length: Length | None = None

    @property
    def measure(self) -> Length | None:
        """How names are measured; None where length does not matter."""
        return (self.length or len) if self.match_length else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """All that a work's draw depends on."""

    # Hashing a hundred people for every prompt would cost more than the lookup saves.
    cast: tuple[Character, ...] = field(hash=False)
    work: str
    other_cast: bool
    culture: str
    swapped: bool
    seed: str
    length: Length | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """A work's map: folded word -> new word, and where a word would be drawn again from."""

    cast: Cast
    source: Source
    new: Mapping[str, str]
    drawn: frozenset[str]
    forms: Mapping[str, str]


def plan_map(
    item: Item, strategy: Strategy, *, texts: Sequence[str], options: NameOptions, placeholder: str
) -> NameMap:
    """The map for one item.

    Args:
        item: Gives the cast, its culture and the work.
        strategy: `original` gives the empty map.
        texts: Every text of the item that is shown: passage, question, options, gold texts. No
            new name may be one of their words.
        options: What the experiment chooses about names.
        placeholder: Letter of the masks.

    Raises:
        SetAside: A list is too short, two people cannot be told apart, a named map does not know
            the work, or a name that it gives stands in the texts already.
    """
    standing = _standing(tuple(texts))
    try:
        if strategy.base == "named_map":
            return _by_hand(item, strategy, texts, standing.keys())
        cast = cast_of(item.cast)
        if strategy.base == "original" or not cast.people:
            return _EMPTY
        masked = strategy.base == "masked"
        # The windows of one document must agree on the masks, whoever is in them.
        present = list(cast.people) if masked and item.parts > 1 else cast.present(standing)
        _tell_apart(present)
        if masked:
            if item.parts == 1:
                present = _masked_order(item, present, cast, options, standing)
            return mask(present, cast, standing.keys(), placeholder)
        return _renamed(_draw_of(item, strategy, options), present, standing.keys())
    except SetAside as error:
        raise SetAside(item.item_id, error.reason) from None


@lru_cache(maxsize=4)  # the same under every strategy
def _standing(texts: tuple[str, ...]) -> Mapping[str, tuple[int, int]]:
    """Folded word of some texts -> the text and the word in it where it stands first."""
    first: dict[str, tuple[int, int]] = {}
    for number, text in enumerate(texts):
        for key, places in spread(text).places.items():
            first.setdefault(key, (number, places[0]))
    return first


def _tell_apart(people: Iterable[Character]) -> None:
    for name, times in Counter(person.name for person in people).items():
        if times > 1:
            raise SetAside(name, f"two people of the cast are called {name!r}")


def _masked_order(
    item: Item,
    present: list[Character],
    cast: Cast,
    options: NameOptions,
    standing: Mapping[str, tuple[int, int]],
) -> list[Character]:
    """Those present by first appearance, or in a seeded order."""
    if options.shuffle_masks:
        seed = f"{options.seed}\x1f{item.dataset}\x1f{item.item_id}\x1fmasks\x1f"
        return sorted(
            present, key=lambda person: hashlib.sha256((seed + person.name).encode()).digest()
        )
    first: dict[str, tuple[int, int]] = {}
    for extras in (cast.nicknames, cast.plurals):
        for key in extras.keys() & standing.keys():
            for name in cast.owners(extras[key]):
                first[name] = min(first.get(name, standing[key]), standing[key])
    for person, units in cast.marks:
        for unit in units:
            if all(key in standing for key in unit):
                first[person.name] = min(
                    first.get(person.name, standing[unit[0]]), standing[unit[0]]
                )
    return sorted(present, key=lambda person: first[person.name])


def _draw_of(item: Item, strategy: Strategy, options: NameOptions) -> _Draw:
    culture = item.culture
    if strategy.base == "cross_culture":
        culture = options.cross_culture if options.cross_culture != item.culture else "english"
    return _Draw(
        cast=item.cast,
        work=item.work,
        other_cast=strategy.base == "other_cast",
        culture=culture,
        swapped=strategy.swapped,
        seed=f"{options.seed}|{item.dataset}|{item.work}|{strategy.name}|{culture}",
        length=options.measure,
    )


@lru_cache(maxsize=1 << 9)
def _plan(how: _Draw) -> _Plan:
    """A work's map from the lists; words that the lists are too short for have no new word."""
    cast = cast_of(how.cast)
    if how.other_cast:
        return _plan_from_casts(how, cast)
    source = ListSource(culture=how.culture, seed=how.seed, swapped=how.swapped, length=how.length)
    return _planned(cast, source)


def _planned(cast: Cast, source: Source) -> _Plan:
    taken = {*cast.keys, *cast.nicknames, *cast.plurals}
    new = draw(cast.units.values(), source, cast.same, taken)
    new |= {key: new[root] for key, root in cast.same.items() if root in new}
    drawn = frozenset(fold(name) for name in new.values())
    return _Plan(cast=cast, source=source, new=new, drawn=drawn, forms=_forms(cast, new))


def _plan_from_casts(how: _Draw, cast: Cast) -> _Plan:
    """The map that gives a cast the names of the first other cast that is large enough.

    Where none is large enough for all, the one that leaves the fewest words without a new one.
    """
    own = work_titled(how.work) or works().get(how.work)
    titles = own.titles if own else (how.work,)
    long = {phrase for phrase in cast.phrases if " " in phrase}
    others = [
        other
        for work in works().values()
        if not any(same_title(title, known) for title in titles for known in work.titles)
        and long.isdisjoint((other := cast_of(work.cast)).phrases)
    ]
    others.sort(key=lambda other: hashlib.sha256(_signed(how.seed, other)).digest())
    best: _Plan | None = None
    for other in others:
        plan = _planned(cast, cast_source(cast, other, how.seed, how.length))
        if len(plan.new) == len(cast.units):
            return plan
        if best is None or len(plan.new) > len(best.new):
            best = plan
    if best is None:
        raise SetAside(how.work, "there is no other cast in the works file")
    return best


def _signed(seed: str, cast: Cast) -> bytes:
    return "\x1f".join([seed, *(person.name for person in cast.people)]).encode()


def _renamed(how: _Draw, present: Sequence[Character], standing: Collection[str]) -> NameMap:
    plan = _plan(how)
    cast, new, forms = plan.cast, plan.new, plan.forms
    own = {person.name for person in present}
    wanted = [unit for unit in cast.units.values() if own.intersection(unit.owners)]
    clashing = plan.drawn.intersection(standing)
    if clashing or any(unit.key not in new for unit in wanted):
        new = _again(how, plan, {unit.key for unit in wanted}, clashing, standing)
        forms = _forms(cast, new)
    people = {person.name: _under(person.name, new) for person in present}
    if len(set(people.values())) < len(people):
        raise SetAside(present[0].name, "two people of the cast have the same name")
    more = {
        extra.spelling: new[extra.unit] if extra.owner else plural(new[extra.unit])
        for extras in (cast.nicknames, cast.plurals)
        for key in extras.keys() & standing
        if (extra := extras[key]).unit in new
    }
    return NameMap(people=people, forms={**forms, **more} if more else forms)


def _again(
    how: _Draw,
    plan: _Plan,
    wanted: Collection[str],
    clashing: Collection[str],
    standing: Collection[str],
) -> dict[str, str]:
    """A work's new words for one item: those that stand in its texts, or were not to be had, anew.

    Names that people who are absent drew are free where no other is left.
    """
    cast = plan.cast
    kept = {key: name for key, name in plan.new.items() if fold(name) not in clashing}
    never = {*cast.keys, *cast.nicknames, *cast.plurals, *standing}
    for free_absent in (False, True):
        used = never | {
            fold(name) for key, name in kept.items() if key in wanted or not free_absent
        }
        left = [unit for unit in cast.units.values() if unit.key in wanted and unit.key not in kept]
        again = draw(left, plan.source, cast.same, used)
        if free_absent:
            drawn = {fold(name) for name in again.values()}
            kept = {key: name for key, name in kept.items() if fold(name) not in drawn}
        kept |= again
        kept |= {key: kept[root] for key, root in cast.same.items() if root in kept}
    short = next((cast.units[key] for key in sorted(wanted) if key not in kept), None)
    if short is not None:
        whose = "the largest other cast" if how.other_cast else f"the {how.culture} list"
        raise SetAside(how.work, f"{whose} has no free name left for {short.spelling!r}")
    return kept


def _under(form: str, new: Mapping[str, str]) -> str:
    return " ".join(
        new.get(fold(part), part) if is_name_word(part) else part for part in form.split()
    )


def _forms(cast: Cast, new: Mapping[str, str]) -> dict[str, str]:
    """Phrase or word -> what it becomes, where each of its words becomes something."""
    return {
        form: _under(form, new)
        for form in (*cast.phrases, *cast.spellings)
        if all(fold(part) in new for part in form.split() if is_name_word(part))
    }


@lru_cache(maxsize=1 << 8)
def _names_by_hand(strategy: Strategy, work: str) -> Mapping[str, str]:
    named = strategy.named_map
    entry = named.for_work(work) if named else None
    if entry is None:
        raise SetAside(work, f"the name map {strategy.name!r} does not know the work {work!r}")
    return dict(entry.names)


def _by_hand(
    item: Item, strategy: Strategy, texts: Sequence[str], standing: Collection[str]
) -> NameMap:
    forms = _names_by_hand(strategy, item.work)
    olds = {fold(old) for old in forms}
    for old, new in forms.items():
        if fold(new) in olds or not all(fold(word) in standing for word in words(new)):
            continue
        if any(place.case == "name" for text in texts for place in find_names(text, [new])):
            reason = f"the name map {strategy.name!r} makes {old!r} into {new!r}"
            raise SetAside(item.item_id, f"{reason}, which the text has already")
    name_map = NameMap(people={}, forms=forms)
    shown = {
        person.name: replace(person.name, name_map).text
        for person in cast_of(item.cast).present(standing)
    }
    people = {name: new for name, new in shown.items() if new != name}
    if len(set(shown.values())) < len(shown):
        raise SetAside(item.item_id, "two people of the cast become the same name")
    return NameMap(people=people, forms=forms)
