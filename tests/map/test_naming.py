"""Names are telling words: not those that all groups share, no stop words, no repetitions."""

import numpy as np

from doc2vecc import Doc2VecC
from doc2vecc.corpus.sources import read_texts
from doc2vecc.map import Topics
from doc2vecc.map.areas import find_areas, hills
from doc2vecc.map.documents import read_documents
from doc2vecc.map.naming import name_groups


def test_topics_are_named_by_their_own_words(documents, table):
    topics = table["topic_name"].to_pylist()
    order = sorted(set(topics))
    names = name_groups(documents.words, np.array([order.index(one) for one in topics]), 8)
    own = {"code": "parser reads file gives list tokens compiler", "food": "soup cold waiter brought bread salt"}
    for topic, words in own.items():
        (name,) = [name for one, name in zip(order, names, strict=True) if one == topic]
        parts = {part for word in name for part in word.split()}
        assert len(parts & set(words.split())) >= 4
        assert not parts & {"the", "and", "a", "of", "was"}


def test_a_group_of_none_has_no_name(documents):
    groups = np.full(len(documents), -1)
    assert name_groups(documents.words, groups) == []
    groups[:5] = 1  # group 0 is empty
    assert len(name_groups(documents.words, groups)) == 2


def test_ngrams_stand_for_their_words(model):
    texts = ["we like New York soup", "in New York was bread", "to New York with salt", *["a file of tokens"] * 27] * 5
    documents = read_documents(model.model_, read_texts(texts))
    (first, _) = name_groups(documents.words, np.array([0, 0, 0, *[1] * 27] * 5))
    assert first[0] == "New York"
    assert "York" not in first
    assert "New" not in first


def test_remains_of_urls_and_html_are_no_names(model):
    texts = ["a late flight http://t.co/abc &gt; &amp;", *["a file of tokens"] * 9] * 10
    documents = read_documents(model.model_, read_texts(texts))
    (first, _) = name_groups(documents.words, np.array([0, *[1] * 9] * 10))
    assert "late flight" in first
    assert not [word for word in first if "http" in word or "//" in word or "&" in word]


def test_hills_are_where_points_are_dense():
    draw = np.random.default_rng(0)
    labels = np.arange(600) % 3
    points = np.array([[-0.6, -0.6], [0.6, -0.5], [0.0, 0.7]])[labels] + draw.normal(0, 0.06, (600, 2))
    found = hills(points, 10.0)
    assert all(len(set(found[labels == one].tolist())) == 1 for one in range(3))
    assert len(set(found.tolist())) == 3


def test_areas_of_all_levels_lie_in_the_map(documents, table):
    topics = table["topic_name"].to_pylist()
    order = sorted(set(topics))
    draw = np.random.default_rng(0)
    codes = np.array([order.index(one) for one in topics])
    points = np.array([[-0.7, -0.7], [0.7, -0.7], [0.0, 0.7]])[codes] + draw.normal(0, 0.05, (300, 2))
    areas, coarse = find_areas(points, documents.words)
    assert {area.level for area in areas} == {0, 1, 2}
    assert sum(area.size for area in areas if area.level == 0) == 300
    largest = next(area for area in areas if area.level == 0)
    assert np.count_nonzero(coarse == 0) == largest.size
    assert any(np.allclose([largest.x, largest.y], point) for point in points)
    assert len({area.label.split(", ")[0] for area in areas if area.level == 0}) == 3


def test_documents_without_a_common_word_have_no_names(model):
    texts = ["soup bread", "salt waiter", "tokens list", "the compiler"]
    documents = read_documents(model.model_, read_texts(texts))
    assert name_groups(documents.words, np.array([0, 0, 1, -1])) == [[], []]
    found = Topics.of(documents, n_topics=2)
    assert {topic.label for topic in found.topics} == {"(no words)"}
    areas, _ = find_areas(np.zeros((4, 2)), documents.words)
    assert areas == []


def test_tokens_with_blanks_are_names_without_ngrams():
    texts = ["new york; soup", "new york; bread", "list of tokens; code", "list of tokens; code"] * 5
    model = Doc2VecC(4, epochs=1, min_count=1, workers=1, tokenizer=phrases).fit(texts)
    documents = read_documents(model.model_, read_texts(texts))
    first, second = name_groups(documents.words, np.array([0, 0, 1, 1] * 5))
    assert "new york" in first
    assert "list of tokens" in second


def phrases(text):
    return [part.strip() for part in text.split(";")]
