"""How good vectors are, wherever they come from: every function takes plain matrices, labels and words.

classification.py    error of a linear SVM or of a logistic regression on document vectors
neighbors.py        error of the vote of the nearest documents
relatedness.py       how well pairs of sentences are rated (SICK)
analogy.py           "man is to king as woman is to ...?"
word_similarity.py   agreement of word similarities with human ratings
word_norms.py        which words have short vectors, and how frequent they are
labeled.py          documents with their classes, from files
"""
