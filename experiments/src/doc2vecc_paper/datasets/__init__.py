"""Loaders for the data of the experiments: a folder of files -> arrays and their fingerprint.

    imdb        imdb.parquet, the folder aclImdb, or aclImdb_v1.tar.gz as it is     -> LabeledTexts
    wikipedia   wikipedia100.parquet -> LabeledTexts;  enwiki.parquet              -> WikipediaPages, a stream
    novels      novels.parquet                                                      -> Texts
    sick        SICK_{train,trial,test_annotated}.txt, also within their zip files  -> SentencePairs
    parses      sick/parses and GloVe vectors                                       -> ParsedPairs
    analogy     questions-words.txt                                                 -> AnalogyQuestions
    ratings     wordsim/EN-*.txt                                                    -> human ratings of words

    places        the data folder, and the error when something is missing or damaged
    fingerprints  a digest of what was read
    texts         Texts and LabeledTexts, and stratified samples of them

The folder is given, or named by DOC2VECC_DATA. Nothing is downloaded.
"""

from doc2vecc_paper.datasets.analogy import AnalogyQuestions, load_questions
from doc2vecc_paper.datasets.fingerprints import Fingerprint
from doc2vecc_paper.datasets.imdb import load_imdb
from doc2vecc_paper.datasets.novels import load_novels
from doc2vecc_paper.datasets.places import DataError, data_folder
from doc2vecc_paper.datasets.ratings import load_ratings
from doc2vecc_paper.datasets.sick import SentencePairs, load_sick
from doc2vecc_paper.datasets.texts import LabeledTexts, Texts
from doc2vecc_paper.datasets.wikipedia import Paragraphs, WikipediaPages, load_wikipedia100, open_enwiki

__all__ = [
    "AnalogyQuestions",
    "DataError",
    "Fingerprint",
    "LabeledTexts",
    "Paragraphs",
    "SentencePairs",
    "Texts",
    "WikipediaPages",
    "data_folder",
    "load_imdb",
    "load_novels",
    "load_questions",
    "load_ratings",
    "load_sick",
    "load_wikipedia100",
    "open_enwiki",
]
