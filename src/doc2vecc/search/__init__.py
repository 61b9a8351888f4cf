"""Search in documents by meaning: an index in a folder, or one pass over a stream; duplicates and outliers.

    index = SearchIndex.build(model, documents, "reviews.index", columns=["stars"])
    index.search("slow but moving")          -> Hits: id, score, columns, snippet, words
    SearchIndex.load("reviews.index").add(more)

folder      what the files of an index are, written and checked
index       SearchIndex: build, load, search, add, delete
writing     what goes into the files; graph, the approximate search of large indexes (usearch)
shares      the words that count, and where they stand; snippets, the piece of the text that has most of them
stream      the nearest documents of a file that is read once
comparing   duplicates and outliers; reading and stored bring the vectors
"""

from doc2vecc.search.comparing import Pair, duplicate_pairs, groups_of, least_similar, neighbor_similarity
from doc2vecc.search.index import SearchIndex
from doc2vecc.search.results import Hit, Hits, Snippet
from doc2vecc.search.stream import nearest_documents

__all__ = [
    "Hit",
    "Hits",
    "Pair",
    "SearchIndex",
    "Snippet",
    "duplicate_pairs",
    "groups_of",
    "least_similar",
    "nearest_documents",
    "neighbor_similarity",
]
