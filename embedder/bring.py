"""Features that were read, as parts of a corpus for the store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, get_args

from embedder.errors import FeatureFileError
from embedder.features import Extracted, Kind, Pipeline, Reading, report_as_dict
from store.corpus import Part
from store.corpus_rows import FeatureRow, import_id, target_id

_PIPELINES: Final[dict[str, Pipeline]] = {
    "booknlp": "booknlp",
    "fanfic": "fanfictionnlp",
    "fanfictionnlp": "fanfictionnlp",
}
_KINDS: Final[dict[str, Kind]] = {f"{kind}s": kind for kind in get_args(Kind)}
_FILE = re.compile(r"(?P<work>.+?)\.tsv(?:\.gz)?")


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


def feature_files(folder: Path) -> Iterator[FeatureFile]:
    """The files of a folder laid out as PIPELINE_KINDs/WORK.tsv or .tsv.gz, in order.

    Raises:
        FeatureFileError: There is none, or a folder or file in it has another name.
    """
    fix = "lay the files out as booknlp_events/WORK.tsv, fanfic_quotes/WORK.tsv.gz and so on"
    folders = sorted(path for path in folder.glob("*") if path.is_dir())
    if not folders:
        raise FeatureFileError(folder, "", "no folder of features in it", fix)
    for inner in folders:
        pipeline, _, kinds = inner.name.partition("_")
        if pipeline not in _PIPELINES or kinds not in _KINDS:
            raise FeatureFileError(inner, "", "not named after a pipeline and a kind", fix)
        files = sorted(inner.iterdir())
        if not files:
            raise FeatureFileError(inner, "", "no file in it", fix)
        for path in files:
            named = _FILE.fullmatch(path.name)
            if named is None:
                raise FeatureFileError(path, "", "not a .tsv or .tsv.gz file", fix)
            yield FeatureFile(
                path=path, pipeline=_PIPELINES[pipeline], kind=_KINDS[kinds], work=named["work"]
            )
