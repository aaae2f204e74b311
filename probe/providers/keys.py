"""A model's keys, out of the environment, and texts in which nobody gives them away."""

from __future__ import annotations

import os
from collections.abc import Mapping

from probe.errors import ProviderDown


class Keys:
    """The secrets that one model is asked with.

    Args:
        model: Its name in the experiment, for messages.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._secrets: list[str] = []

    def read(self, variable: str) -> str:
        """What a variable of the environment holds.

        Raises:
            ProviderDown: It is not set, or holds what no key does.
        """
        value = os.environ.get(variable, "").strip()
        fix = f"export {variable}=… and run again"
        if not value:
            raise ProviderDown(self._model, f"${variable} is not set", fix)
        if not value.isprintable() or not value.isascii():
            raise ProviderDown(self._model, f"${variable} holds characters no key has", fix)
        self.add(value)
        return value

    def read_all(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Headers, from the variables that hold them."""
        return {name: self.read(variable) for name, variable in variables.items()}

    def add(self, secret: str) -> None:
        """Take note of a key that came from elsewhere."""
        self._secrets.append(secret)

    def hidden(self, text: str) -> str:
        """A text in which a server that quotes a key back does not give it away."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text
