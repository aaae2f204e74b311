"""Batches: requests handed to a provider many at a time, for half the price.

`records` says what the store knows of them, `draft` puts lines into files, `submit` hands them
over, `attach` finds what a crash left, `take` brings replies in, `asking` does all of it for a
model; `files` writes and reads the files of `vllm run-batch`.
"""
