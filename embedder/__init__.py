"""The embedder: from literary pipelines' output to features, and from features to vectors.

`embedder.features` reads the output, `embedder.encoders` makes vectors, `embedder.worker` takes
features from a store and writes their vectors to it.
"""
