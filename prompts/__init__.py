"""From datasets to prompts: items, name maps, conditions, answer parsers. Pure."""

from prompts.descriptions import Descriptions
from prompts.errors import DatasetError, PromptsError, SetAside, UnknownName
from prompts.item import (
    NAMES,
    PROMPTS,
    Character,
    Choices,
    Gender,
    Item,
    Names,
    PromptName,
    TextSpan,
)
from prompts.render import Manner, NamePolicy, Prompt, Shown, render, show
from prompts.wordings import Wording

__all__ = [
    "NAMES",
    "PROMPTS",
    "Character",
    "Choices",
    "DatasetError",
    "Descriptions",
    "Gender",
    "Item",
    "Manner",
    "NamePolicy",
    "Names",
    "Prompt",
    "PromptName",
    "PromptsError",
    "SetAside",
    "Shown",
    "TextSpan",
    "UnknownName",
    "Wording",
    "render",
    "show",
]
