"""Errors of the simulated endpoint.

ProbeError
├── SettingsError    a setting the endpoint cannot be started with
├── NotPlanted       an experiment that subjects with planted memory cannot play
└── UnknownPrompt    a prompt that is none of the experiment they know
"""

from __future__ import annotations

from probe.errors import ProbeError


class SettingsError(ProbeError):
    """A setting that cannot be; the message names the flag it is given by."""

    def __init__(self, flag: str, found: object, wanted: str) -> None:
        super().__init__(flag, found, wanted)
        self.flag, self.found, self.wanted = flag, found, wanted

    def __str__(self) -> str:
        return f"--{self.flag} is {self.found}, it must be {self.wanted}"


class NotPlanted(ProbeError):
    """An experiment, or a part of one, that subjects with planted memory cannot play."""

    def __init__(self, what: str, found: str, fix: str) -> None:
        super().__init__(what, found, fix)
        self.what, self.found, self.fix = what, found, fix

    def __str__(self) -> str:
        return f"{self.what}: {self.found}; {self.fix}"


class UnknownPrompt(ProbeError):
    """A prompt whose gold answer a subject with planted memory does not know."""

    def __init__(self, experiment: str) -> None:
        super().__init__(experiment)
        self.experiment = experiment

    def __str__(self) -> str:
        return (
            f"this prompt is none of the experiment {self.experiment!r}, whose prompts alone are"
            " known here; start the endpoint with the experiment file that is run"
        )
