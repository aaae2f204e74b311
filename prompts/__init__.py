"""From datasets to prompts: items, name maps, conditions, answer parsers. Pure."""

from prompts.errors import DatasetError, PromptsError, SetAside, UnknownName
from prompts.item import NAMES, PROMPTS, Character, Choices, Gender, Item, Names, PromptName
from prompts.render import NamePolicy, Prompt, Shown, render, show

__all__ = [
    "NAMES",
    "PROMPTS",
    "Character",
    "Choices",
    "DatasetError",
    "Gender",
    "Item",
    "NamePolicy",
    "Names",
    "Prompt",
    "PromptName",
    "PromptsError",
    "SetAside",
    "Shown",
    "UnknownName",
    "render",
    "show",
]
