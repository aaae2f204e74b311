"""A cast with every difficulty, texts that mention it, and plans as an item would get them."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from prompts import Character, Item, Names
from prompts.names import NameMap
from prompts.names.planning import NameOptions, plan_map
from prompts.names.strategies import strategy_named

CAST = (
    Character(name="Jane Bennet", aliases=("Jane",), gender="female"),
    Character(name="Elizabeth Bennet", aliases=("Lizzy", "Elizabeth"), gender="female"),
    Character(name="Mr. Bennet", gender="male"),
    Character(name="Edmond Dantès", aliases=("Dantès",), gender="male"),
    Character(name="Nüxia", gender="female"),
    Character(name="Conan O'Brien", aliases=("O'Brien",), gender="male"),
    Character(name="Jean-Luc Picard", aliases=("Jean-Luc",), gender="male"),
    Character(name="Nick Bottom", aliases=("Bottom",), gender="male"),
    Character(name="Will", gender="male"),
    Character(name="Lady Page", gender="female"),
    Character(name="Joan la Pucelle", gender="female"),
    Character(name="First Clown", proper=False),
)
PROPER = tuple(character for character in CAST if character.proper)
FORMS = sorted({form for character in PROPER for form in character.forms})
EVERYONE = ", ".join(FORMS)
DRAWN: tuple[Names, ...] = (
    "same_culture",
    "cross_culture",
    "same_culture_swapped",
    "cross_culture_swapped",
    "other_cast",
)
REPLACING: tuple[Names, ...] = (*DRAWN, "masked")
PLAIN = (
    *("will", "bottom", "page", "the", "said", "Lydia", "Netherfield", "Janes", "Willing", "x"),
    *("à", "Zürich", "Sheila", "Leanne", "Zhang", "Meiling", "Paul", "P0", "p1", "N2", "P0: "),
    *("\u0301", "你好", "Sheldon", "Monica", "don't", "I", "_", "St.", "’", "'", "jane :"),
)
SEPARATORS = (" ", "\n", ", ", ". ", "\n\n", "—", "; ", " “", "”\r\n", "    ", ": ", "的", "'s ")


def variants(form: str) -> tuple[str, ...]:
    """A name as a text may have it: in capitals, apart, possessive, tokenised, in italics."""
    apart = unicodedata.normalize("NFD", form)
    plain = "".join(char for char in apart if not unicodedata.combining(char))
    curly = form.replace("'", "’")
    broken = form.replace(" ", "\n")
    label = f"\n{form.lower()} : "
    return (
        *(form, form.upper(), apart, plain, curly, broken, label),
        *(f"{form}'s", f"{form}’s", f"{form} 's", f"_{form}_", f"({form})", f"the {form}s"),
        *(f"Miss {form}", f"{form} {form}"),
    )


def texts_about(forms: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Texts that mention some names in any way, between words that are none and new names."""
    mentions = st.sampled_from(forms).flatmap(lambda form: st.sampled_from(variants(form)))
    pieces = st.tuples(mentions | st.sampled_from(PLAIN), st.sampled_from(SEPARATORS))
    return st.lists(pieces, max_size=14).map(
        lambda parts: "".join(word + gap for word, gap in parts).strip()
    )


GIVEN = (
    "Ann",
    "Anne",
    "Jane",
    "Élodie",
    "Rachel",
    "Will",
    "José",
    "Jean-Luc",
    "Ma",
    "悟空",
    "Zoe\u0308",
)
SURNAMES = ("Fairfax", "Anne", "O'Neil", "Lü", "Jones", "van der Berg", "Grey", "St. Clair", "")
ALIASES = ((), ("Rach",), ("Lizzy", "Miss Jane"), ("Mr. Fairfax",), ("Jack", "the Fox"))
people = st.builds(
    lambda given, surname, aliases, gender: Character(
        name=f"{given} {surname}".strip(), aliases=aliases, gender=gender
    ),
    st.sampled_from(GIVEN),
    st.sampled_from(SURNAMES),
    st.sampled_from(ALIASES),
    st.sampled_from(["female", "male", "unknown"]),
)
casts = st.lists(people, min_size=1, max_size=6, unique_by=lambda person: person.name).map(tuple)
cast_and_text = casts.flatmap(
    lambda cast: st.tuples(
        st.just(cast), texts_about(tuple(form for person in cast for form in person.forms))
    )
)


def item_of(
    text: str, cast: tuple[Character, ...] = CAST, work: str = "A Work", item_id: str = "i1"
) -> Item:
    """An item with a cast."""
    return Item(
        item_id=item_id,
        task="coreference",
        dataset="made",
        work=work,
        text=text,
        gold={},
        cast=cast,
    )


def planned(
    *texts: str,
    names: Names = "same_culture",
    seed: int = 7,
    cast: tuple[Character, ...] = CAST,
    work: str = "A Work",
) -> NameMap:
    """The map of an item with these texts."""
    options = NameOptions(cross_culture="chinese", seed=seed)
    return plan_map(
        item_of(texts[0], cast, work),
        strategy_named(names),
        texts=texts,
        options=options,
        placeholder="P",
    )
