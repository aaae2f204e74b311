"""The name engine: what a cast is renamed to, where offsets go, and what leaked."""

from prompts.names.align import Alignment, Edit, Span, SpanInsideName, undo
from prompts.names.audit import Audit, audit
from prompts.names.replace import NameMap, Replaced, plan_names, replace

__all__ = [
    "Alignment",
    "Audit",
    "Edit",
    "NameMap",
    "Replaced",
    "Span",
    "SpanInsideName",
    "audit",
    "plan_names",
    "replace",
    "undo",
]
