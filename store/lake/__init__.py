"""Stores as lakes: tables in Parquet files, a catalogue in a database that many processes write."""
