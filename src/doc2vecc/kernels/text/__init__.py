"""From the bytes of texts to ids and vectors.

1. ``tokens``: scan UTF-8 bytes for the next token and its key
2. ``words``: from the key of a token to the id of a word, and from the ids of words to n-grams
3. ``encode``: number words in order of appearance, count n-grams, write the ids of documents
4. ``embed``: the mean vector of a document, straight from its bytes
"""
