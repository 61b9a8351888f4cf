"""What the paper compares Doc2VecC with, each a scikit-learn transformer of texts with the same tokens and words.

bag_of_words.py         BagOfWords: binary, counted or tf-idf weighted words
word_vectors.py         Word2Vec: mean of word vectors, plain or weighted by rarity
                        DenoisingAutoencoder: Doc2VecC without local context
paragraph_vectors.py    ParagraphVectors: one learned vector for every document, PV-DM and PV-DBOW
base.py                 what they share

from doc2vecc.baselines import Word2Vec
vectors = Word2Vec(vector_size=100, weighting="idf", random_state=0).fit_transform(texts)
"""

from doc2vecc.baselines.bag_of_words import BagOfWords
from doc2vecc.baselines.paragraph_vectors import ParagraphVectors
from doc2vecc.baselines.word_vectors import DenoisingAutoencoder, Word2Vec

__all__ = ["BagOfWords", "DenoisingAutoencoder", "ParagraphVectors", "Word2Vec"]
