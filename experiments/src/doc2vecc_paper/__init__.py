"""The experiments of the paper on real data, with the paper's own figures beside ours.

    datasets    a folder of downloads -> texts, labels, and a fingerprint of what was read
    published   the figures of the paper, each with its place
    cells       one finished measurement -> one file, so that an interrupted run goes on where it stopped
    tables      the paper's figures and ours, side by side, for the terminal and as Markdown

M. Chen, Efficient Vector Representation for Documents through Corruption, ICLR 2017.
"""
