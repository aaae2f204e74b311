"""From stored replies to scores, contrasts and tables.

Errors stand here. The rest is loaded where it is used, since statistics take a while to load.
"""

from analysis.errors import AnalysisError, NoSuchTable, Undefined

__all__ = ["AnalysisError", "NoSuchTable", "Undefined"]
