"""`probe export`: a store as a folder that describes itself, for people who have no gistprobe."""

from store.export.decisions import OMITTED, Change, Treatment, treatments
from store.export.described import Asked, Source
from store.export.exporting import Exported, export

__all__ = ["OMITTED", "Asked", "Change", "Exported", "Source", "Treatment", "export", "treatments"]
