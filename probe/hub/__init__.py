"""The hub: gives a run's cells to workers on other machines, and takes in what they bring."""
