"""From the bytes of texts to ids and vectors.

1. ``tokens``: scan UTF-8 bytes for the next token and its key
2. ``words``: from the key of a token to the id of a word
3. ``ngrams``: n-grams of known words: look them up, count them, write their ids
4. ``distinct``: every id of a document once
5. ``numbering``: give words numbers in order of appearance while a corpus is read, and count them
6. ``embed``: the mean vector of a document, straight from its bytes
"""
