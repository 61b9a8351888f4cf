"""The recurrent and tree-structured baselines of the paper, each an estimator.

    related_sentences   mean vectors, LSTM, Tree-LSTM, DT-RNN ... and one head -> relatedness of sentences
    hand_built          the same from features made by hand
    language_model      RNN-LM: one language model per class, compared by likelihood; language_model_kernel is Numba
    skip_thought        sentence vectors that predict the neighboring sentences
    trees               trees of a minibatch, all nodes of one height at once
    tokens              text -> words
    networks            the torch modules; nothing outside of it imports torch before it is used

Torch comes with the extra ``neural``.
"""
