"""A short invented novel in BookNLP's and in FanfictionNLP's native format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from embedder.features.aliases import AliasMap, read_aliases

SHARED = Path(__file__).parents[2].parent / "shared"
AUSTENALIKE = SHARED / "data" / "austenalike"
with_shared = pytest.mark.skipif(
    not AUSTENALIKE.is_dir(), reason="shared/data/austenalike is not beside the project"
)

TOKENS_HEADER = (
    "paragraph_ID\tsentence_ID\ttoken_ID_within_sentence\ttoken_ID_within_document\tword\tlemma\t"
    "byte_onset\tbyte_offset\tPOS_tag\tfine_POS_tag\tdependency_relation\tsyntactic_head_ID\tevent"
)
ENTITIES_HEADER = "COREF\tstart_token\tend_token\tprop\tcat\ttext"
SUPERSENSE_HEADER = "start_token\tend_token\tsupersense_category\ttext"
QUOTES_HEADER = "quote_start\tquote_end\tmention_start\tmention_end\tmention_phrase\tchar_id\tquote"

# Words stand twice in a sentence, and some are of several bytes, of several UTF-16 units or hold a
# character that Unicode counts as a line end.
NOVEL = (
    "Zoë ran , and Old Tam ran after her .",
    "“ Run , 𝒵oë ! ” cried Tam .",
    "She was tired — tired and naïve\u2028ish — but Mrs. Pell saw her .",
    "“ Enough ! ” said Zoë .",
)
ALIASES = (
    "ONE\tZoë\tZoë Marsh\nONE\tTam\tThomas Hay\nONE\tMrs. Pell\tEliza Pell\nTWO\tZoë\tAnother Zoë\n"
)


def tokens_table(sentences: Sequence[str], *, per_paragraph: int = 2) -> str:
    """`.tokens` of sentences whose tokens are joined by spaces."""
    lines, token, byte = [TOKENS_HEADER], 0, 0
    for number, sentence in enumerate(sentences):
        for within, word in enumerate(sentence.split(" ")):
            end = byte + len(word)
            lines.append(
                f"{number // per_paragraph}\t{number}\t{within}\t{token}\t{word}\t{word.lower()}\t"
                f"{byte}\t{end}\tX\tXX\tdep\t{token}\tO"
            )
            token, byte = token + 1, end + 1
    return "\n".join(lines) + "\n"


def word(text: str, token: int) -> dict[str, object]:
    """A word of `.book`."""
    return {"w": text, "i": token}


def cluster(id_: int, count: int, **parts: object) -> dict[str, object]:
    """A cluster of `.book`; `parts` are its words, and `proper`, `common` or `pronoun` names."""
    names: dict[str, list[dict[str, object]]] = {}
    for sort in ("proper", "common", "pronoun"):
        given = parts.pop(sort, {})
        assert isinstance(given, dict)
        names[sort] = [{"c": times, "n": name} for name, times in given.items()]
    empty: dict[str, object] = {"agent": [], "patient": [], "mod": [], "poss": []}
    return {**empty, **parts, "id": id_, "g": None, "count": count, "mentions": names}


def clusters() -> list[dict[str, object]]:
    """The clusters of the novel: two of Zoë's, one of Tam's and Mrs. Pell's, three of nobody's."""
    return [
        cluster(
            7,
            9,
            agent=[word("ran", 1)],
            patient=[word("saw", 30)],
            mod=[word("tired", 23), word("tired", 21), word("naïve\u2028ish", 25)],
            proper={"Zoë": 4, "Miss Marsh": 4},
            pronoun={"She": 1},
        ),
        cluster(2, 8, agent=[word("ran", 6), word("cried", 16)], proper={"Old Tam": 2, "Tam": 6}),
        cluster(3, 7, agent=[word("saw", 30)], common={"poor Mrs. Pell--": 7}),
        cluster(9, 6, agent=[word("said", 37)], patient=[word("Run", 11)], proper={"a Zoë": 6}),
        cluster(4, 6, agent=[word("cried", 16)], proper={"Nobody": 6}),
        cluster(5, 5, agent=[word("ran", 1)], proper={"Tam": 5}),
        cluster(6, 30, mod=[word("tired", 21)], pronoun={"her": 30}),
    ]


QUOTES = (
    "10\t15\t17\t17\tTam\t2\t“ Run , 𝒵oë ! ”\n"
    "33\t36\t38\t38\tZoë\t7\t“ Enough ! ”\n"
    "33\t36\tNone\tNone\tNone\tNone\t“ Enough ! ”\n"
    "33\t36\t38\t38\tZoë\t77\t“ Enough ! ”\n"
    "33\t36\t38\t38\tZoë\t5\t“ Enough ! ”\n"
)


@dataclass
class Native:
    """BookNLP's files of the novel; a test changes what it is about, then writes them."""

    tokens: str | None = field(default_factory=lambda: tokens_table(NOVEL))
    entities: str | None = None
    supersense: str | None = None
    quotes: str | None = QUOTES_HEADER + "\n" + QUOTES
    book: str = field(
        default_factory=lambda: json.dumps({"characters": clusters()}, ensure_ascii=False)
    )

    def write(self, folder: Path, *, packed: bool = False) -> Path:
        """Write the files that are there; return the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for ending in ("tokens", "entities", "supersense", "quotes", "book"):
            text = getattr(self, ending)
            if text is None:
                continue
            data = text.encode("utf-8")
            if packed:
                (folder / f"novel.{ending}.gz").write_bytes(gzip.compress(data))
            else:
                (folder / f"novel.{ending}").write_bytes(data)
        return folder


def alias_map(folder: Path, text: str = ALIASES) -> AliasMap:
    """The alias map of the novel, or of a text."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "aliases.tsv"
    path.write_text(text, encoding="utf-8", newline="")
    return read_aliases(path)


def passage(start: int, end: int, text: str) -> dict[str, object]:
    """A passage of FanfictionNLP."""
    return {"position": [start, end], "text": text}


def fanfiction_files() -> dict[str, object]:
    """FanfictionNLP's files of two documents of the novel, by their path in the output."""
    second = "Old Tam slept . Zoë did not ."
    return {
        "char_coref/novel_1.json": {
            "document": NOVEL[0],
            "clusters": [
                {"name": "Zoë", "mentions": [passage(0, 1, "Zoë"), passage(8, 9, "her")]},
                {"name": "A Tam", "mentions": [passage(4, 6, "Old Tam")]},
                {"name": "Mill", "mentions": []},
            ],
        },
        "assertion_extraction/novel_1.json": {
            "Zoë": [passage(0, 10, NOVEL[0])],
            "A Tam": [passage(0, 10, NOVEL[0]), passage(0, 2, "elsewhere")],
            "Mill": [passage(0, 10, NOVEL[0])],
        },
        "quote_attribution/novel_1.quote.json": {},
        "char_coref/novel_2.json": {
            "document": second,
            "clusters": [
                {"name": "Tam", "mentions": [passage(0, 2, "Old Tam")]},
                {"name": "Tam", "mentions": []},
                {"name": "Zoë", "mentions": [passage(4, 5, "Zoë")]},
            ],
        },
        "assertion_extraction/novel_2.json": {
            "Tam": [passage(0, 4, "Old Tam slept .")],
            "Zoë": [passage(4, 8, "Zoë did not .")],
        },
        "quote_attribution/novel_2.quote.json": {
            "Zoë": [passage(4, 5, "Zoë"), passage(8, 9, "")],
            "Nobody": [passage(0, 1, "Old")],
        },
    }


def write_folder(root: Path, files: dict[str, object]) -> Path:
    """Write JSON, or text as it is, to the paths under a folder; return the folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_text(content), encoding="utf-8", newline="")
    return root


def write_zip(path: Path, files: dict[str, object], *, top: str = "novel/") -> Path:
    """As `write_folder`, into a zip, under its top folder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(top + name, as_text(content))
    return path


def as_text(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def published_rows(path: Path) -> list[tuple[str, ...]]:
    """The rows of a published file under its header, read with the csv module alone."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    rows: Iterable[list[str]] = csv.reader(io.StringIO(text, newline=""), delimiter="\t")
    return [tuple(row) for row in rows][1:]
