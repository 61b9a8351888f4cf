"""Build the data sets that stand in for those of the paper, from public files that you have downloaded.

python -m doc2vecc_paper.building wikipedia enwiki-latest-pages-articles.xml.bz2 -o DIR
python -m doc2vecc_paper.building novels FOLDER-OF-TEXT-FILES -o DIR

wiki_text   the markup of a page -> its paragraphs and section titles, the class of a page
dumps       a dump of Wikipedia -> pages -> enwiki.parquet and wikipedia100.parquet
books       text files -> paragraphs -> novels.parquet
"""
