"""Features that were read, as parts of a corpus for the store."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, get_args

from embedder.features import Extracted, Kind, Pipeline, Reading, report_as_dict
from store.corpus import Part
from store.corpus_rows import FeatureRow, import_id, target_id
from store.errors import BadFile

_PIPELINES: Final[dict[str, Pipeline]] = {
    "booknlp": "booknlp",
    "fanfic": "fanfictionnlp",
    "fanfictionnlp": "fanfictionnlp",
}
_KINDS: Final[dict[str, Kind]] = {f"{kind}s": kind for kind in get_args(Kind)}
_FOLDER = re.compile(
    rf"(?P<pipeline>{'|'.join(_PIPELINES)})[_-](?P<kinds>{'|'.join(_KINDS)})", re.IGNORECASE
)
_FILE = re.compile(rf"(?P<work>.+?)(?:_(?:mods|{'|'.join(_KINDS)}))?\.tsv(?:\.gz)?", re.IGNORECASE)


def named(reading: Reading, work: str) -> Reading:
    """A reading whose work is called otherwise than in the alias map."""
    return replace(reading, extracted=tuple(replace(each, work=work) for each in reading.extracted))


def parts_of(reading: Reading, corpus: str) -> list[Part]:
    """One part a kind; what it holds decides its id, so bringing it in twice changes nothing."""
    return [_part(extracted, reading, corpus) for extracted in reading.extracted]


def _part(extracted: Extracted, reading: Reading, corpus: str) -> Part:
    part = f"{extracted.pipeline}/{extracted.kind}/{extracted.work}"
    content = [
        [f.character, f.role, f.text, f.context, f.target_start, f.target_end]
        for f in extracted.features
    ]
    own = import_id(corpus, "features", part, content)
    rows = [
        FeatureRow(
            import_id=own,
            ordinal=place,
            pipeline=extracted.pipeline,
            kind=extracted.kind,
            work=extracted.work,
            character=f.character,
            role=f.role,
            text=f.text,
            context=f.context,
            target_start=f.target_start,
            target_end=f.target_end,
            target_id=target_id(f.context or f.text, f.target_start, f.target_end),
        )
        for place, f in enumerate(extracted.features)
    ]
    return Part(
        import_id=own,
        corpus=corpus,
        relation="features",
        part=part,
        path=reading.report.source,
        rows=rows,
        report=report_as_dict(reading.report),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFile:
    """One file of a folder of published features."""

    path: Path
    pipeline: Pipeline
    kind: Kind
    work: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFolder:
    """A folder of published features.

    Attributes:
        passed_over: Folders beside the features' that are not named as such.
    """

    files: tuple[FeatureFile, ...]
    passed_over: tuple[Path, ...]


def feature_files(folder: Path) -> FeatureFolder:
    """The files of a folder, in order.

    They lie in folders named after pipeline and kind, such as booknlp_events or fanfic-quotes, and
    are named after their work, such as WORK.tsv, WORK.tsv.gz or WORK_events.tsv.

    Raises:
        BadFile: There is none, or a file in those folders has another name.
    """
    fix = "lay the files out as booknlp_events/WORK.tsv, fanfic_quotes/WORK.tsv.gz and so on"
    folders = sorted(path for path in folder.glob("*") if path.is_dir())
    named = {path: found for path in folders if (found := _FOLDER.fullmatch(path.name))}
    if not named:
        raise BadFile(folder, "", "no folder of features in it", fix)
    files: list[FeatureFile] = []
    for inner, parts in named.items():
        paths = sorted(path for path in inner.iterdir() if not path.name.startswith("."))
        if not paths:
            raise BadFile(inner, "", "no file in it", fix)
        for path in paths:
            work = _FILE.fullmatch(path.name)
            if work is None:
                raise BadFile(path, "", "not a .tsv or .tsv.gz file", fix)
            files.append(
                FeatureFile(
                    path=path,
                    pipeline=_PIPELINES[parts["pipeline"].lower()],
                    kind=_KINDS[parts["kinds"].lower()],
                    work=work["work"],
                )
            )
    others = tuple(path for path in folders if path not in named)
    return FeatureFolder(files=tuple(files), passed_over=others)
