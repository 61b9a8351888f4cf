"""One small reader for each file format: a file becomes its column names and a stream of Arrow batches.

    files      a path -> InputFile, by its extension; opened with the reader of its kind
      lines  delimited  columnar           InputFile -> OpenTable: txt and jsonl, csv and tsv, parquet and Arrow
        reading    InputFile -> its bytes, decompressed, as blocks or lines of valid UTF-8

What a reader gives back, and what a clean text column is: `corpus.text_column`. Users import from `corpus.sources`.
"""
