"""Started as `python -m probe.providers.scoring`, with its settings as one JSON line on stdin.

Prints one line with its address, or with what is wrong, then serves until standard input ends,
which it does when the parent closes it or dies, however it dies.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import traceback


def main() -> None:
    """Serve one model on a free loopback port."""
    settings = json.loads(sys.stdin.readline())
    # From here on, so that it also ends when the parent dies while the model loads.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threading.excepthook = _end_with_thread
    os.environ["HF_HUB_OFFLINE"] = "1"  # a model is what lies here, and nothing is reported
    # Only now: torch takes seconds to load, in which the parent may die.
    from probe.providers.scoring.engine import Engine, Settings  # noqa: PLC0415
    from probe.providers.scoring.errors import NotAModel  # noqa: PLC0415
    from probe.providers.scoring.server import serve  # noqa: PLC0415

    try:
        engine = Engine(Settings(**settings))
    except NotAModel as error:
        _say({"error": f"{error.path}: {error.found}", "fix": error.fix})
        sys.exit(1)
    told = {"facts": engine.facts, "template": engine.has_template, "continues": engine.continues}
    asyncio.run(serve(engine, settings["key"], lambda url: _say({"url": url, **told})))


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)  # a thread may be deep in a product of matrices


def _end_with_thread(what: threading.ExceptHookArgs) -> None:
    """End where the thread that computes does, rather than leave its requests waiting."""
    traceback.print_exception(what.exc_type, what.exc_value, what.exc_traceback)
    os._exit(1)


if __name__ == "__main__":
    main()
