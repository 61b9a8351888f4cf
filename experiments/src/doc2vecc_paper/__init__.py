"""The experiments of the Doc2VecC paper on real data, with the paper's values beside ours.

    cli            the command doc2vecc-paper
    catalog        the list of experiments; experiments/ has a module for each
    running        run what is not finished       report   tables, figures and notes of what is finished
    cells          one finished measurement -> one file, so that an interrupted run continues where it stopped
    methods        Doc2VecC and the baselines with the settings that the experiments use
    published      the tables of the paper        claims   what its text says
    neural         recurrent and tree-structured baselines, some with torch
    building       data sets that stand in for those of the paper, from public files
    word_vectors   analogies, similarity and norms of word vectors
    datasets       files in a folder -> texts, labels and a fingerprint
    measure        what settings do to the vectors: python -m doc2vecc_paper.measure

M. Chen, Efficient Vector Representation for Documents through Corruption, ICLR 2017.
"""
