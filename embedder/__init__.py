"""From features to vectors. Holds nothing yet: character features and their encoders will live here."""

__all__: list[str] = []
