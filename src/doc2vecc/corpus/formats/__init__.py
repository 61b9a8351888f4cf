"""One small reader for each file format: a file becomes its column names and a stream of Arrow batches.

    files      a path -> InputFile, by its extension; opened with the reader of its kind
      txt  jsonl  delimited  columnar      InputFile -> OpenTable, one module for each kind
        utf8       bytes -> blocks and lines of valid UTF-8
        decompression      a file, a pipe or standard input -> its bytes, decompressed
        strings    lines, bytes or Python strings -> Arrow arrays
        batching   how much is held at once
        reading    what a reader is given and gives back: Reading, InputFile, OpenTable; InputError, ReadReport

Which column holds the text, and what a clean text column looks like, is decided one level up, in
`corpus.text_column`. Users import from `corpus.sources`.
"""
