"""An OpenAI-compatible endpoint at the wire that costs nothing: `probe simulate`.

For rehearsing an experiment before money is spent, for tests and for benchmarks. It has limits,
latencies and faults as hosts have them, and makes its replies from what it is asked.
"""

from probe.simulate.errors import SettingsError
from probe.simulate.replies import Asked, Made, ReplyMaker
from probe.simulate.server import Simulator, serve, serving
from probe.simulate.settings import Settings

__all__ = [
    "Asked",
    "Made",
    "ReplyMaker",
    "Settings",
    "SettingsError",
    "Simulator",
    "serve",
    "serving",
]
