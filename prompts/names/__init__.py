"""The name engine: what a cast is renamed to, where offsets go, and what leaked.

Datasets use the words and the replacing; planning, named maps and the audit know of datasets in
turn, and are imported as modules of their own.
"""

from prompts.names.align import Alignment, Edit, Span, SpanInsideName, undo
from prompts.names.replace import NameMap, Replaced, replace

__all__ = [
    "Alignment",
    "Edit",
    "NameMap",
    "Replaced",
    "Span",
    "SpanInsideName",
    "replace",
    "undo",
]
