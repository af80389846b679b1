"""One match as a file: Cricsheet JSON, CSV, Parquet."""
