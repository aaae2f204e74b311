"""What an experiment costs and how long it takes, from 10^4 to 10^9 cells: `docs/scale.md`."""
