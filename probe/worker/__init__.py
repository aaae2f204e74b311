"""A worker: asks cells that a hub gives it, and hands back what it is answered."""
