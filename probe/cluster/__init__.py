"""Workers of a hub, placed by Ray: which, with what, where the hub is, and how they end.

Scheduling, restarts and autoscaling are Ray's. What an actor does is what `probe work` and
`probe embed --hub` do.
"""
