"""The same training and embedding on a Ray cluster: ``Doc2VecC(...).fit(paths, cluster=Cluster("auto"))``.

driver.py      a training, from the first count to the model; it holds the tables and no text
worker.py      what every worker does: read, count, encode, train
merging.py     the merge rule: what several workers have learned becomes one change of the tables
corpus.py      the words of all workers
inputs.py      which files there are, and how they are cut into pieces
crew.py        the workers as Ray actors: started, called, replaced
embedding.py   embedding with Ray Data
"""

from doc2vecc.cluster.crew import Cluster

__all__ = ["Cluster"]
