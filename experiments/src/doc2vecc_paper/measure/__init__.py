"""What settings do to the vectors, measured without the test data: a line of JSON for each method and its settings.

python -m doc2vecc_paper.measure documents "Doc2VecC alpha=0.1" "Word2Vec window=5" --seeds 3
python -m doc2vecc_paper.measure sentences "Doc2VecC document_only=0.5" Word2Vec
python -m doc2vecc_paper.measure table FILE
"""
