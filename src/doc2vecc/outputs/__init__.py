"""Document vectors become a file: parquet, arrow, npy, jsonl or csv, batch by batch.

    read_files(["reviews.csv"], keep_columns=True) -> write_vectors(...) -> reviews.parquet: id, text, label, vector

writing.py   which format, and the loop over the batches
formats.py   one writer for each format
"""
