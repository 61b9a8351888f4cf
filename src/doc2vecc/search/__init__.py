"""Search in documents by meaning: an index in a folder, or one pass over a stream.

index = SearchIndex.build(model, documents, "reviews.index", columns=["stars"])
index.search("slow but moving")          -> Hits: id, score, columns, snippet, words
SearchIndex.load("reviews.index").add(more)

folder     what the files of an index are, written and checked
index      SearchIndex: build, load, search, add, delete
  graph      the approximate search of large indexes (usearch)
  snippets   the words that count most, and where they stand
stream     the nearest documents of a file that is read once
"""

from doc2vecc.search.index import SearchIndex
from doc2vecc.search.results import Hit, Hits, Snippet
from doc2vecc.search.stream import nearest_documents

__all__ = ["Hit", "Hits", "SearchIndex", "Snippet", "nearest_documents"]
