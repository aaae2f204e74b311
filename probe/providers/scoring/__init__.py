"""The child process of the provider `transformers`; the only one of ours that loads torch."""

__all__: list[str] = []
