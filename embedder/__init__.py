"""From features to vectors. Holds nothing yet."""

__all__: list[str] = []
