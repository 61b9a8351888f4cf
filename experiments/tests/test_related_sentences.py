"""Networks for the relatedness of sentences: the formulas, learning by heart, batches and seeds."""

import numpy as np
import pytest

from data_files import write_parses
from doc2vecc import ParameterError
from doc2vecc.evaluation import correlation
from doc2vecc_paper.datasets.parses import ParsedPairs, ParsedSentences, load_parses
from doc2vecc_paper.neural.hand_built import HandBuiltFeatures, stem
from doc2vecc_paper.neural.related_sentences import ENCODERS, SentenceRelatedness
from doc2vecc_paper.neural.trees import Trees

TORCH = "torch is not installed; it comes with the extra neural"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parses")
    write_parses(folder)
    return load_parses(folder)


@pytest.fixture(scope="module")
def ten():
    """Ten pairs of random trees with random scores, the same for learning and for the choice of the epoch."""
    draw = np.random.default_rng(3)
    offsets = np.cumsum([0, *draw.integers(1, 8, 20)])
    lengths = np.diff(offsets)
    head = np.concatenate([np.where(np.arange(n) == 0, -1, draw.integers(0, np.arange(n).clip(1))) for n in lengths])
    size = len(head)
    whole = ParsedSentences(draw.integers(0, 30, size), head, draw.integers(0, 4, size), offsets)
    first, second = (whole.take(np.arange(begin, 20, 2)) for begin in (0, 1))
    vectors = draw.normal(size=(30, 8)).astype(np.float32)
    words, relations = tuple(map(str, range(30))), tuple("abcd")
    one = ParsedPairs(first, second, draw.uniform(1, 5, 10), np.full(10, "train"), words, vectors, relations)
    both = one.take(np.tile(np.arange(10), 2))
    both.split[10:] = "trial"
    return both


@pytest.mark.slow
@pytest.mark.peers
@pytest.mark.parametrize("encoder", ENCODERS)
class TestEveryEncoder:
    def test_learns_ten_pairs_by_heart(self, encoder, ten):
        pytest.importorskip("torch", reason=TORCH)
        settings = {"vector_size": 20, "epochs": 200, "batch_size": 5, "l2": 0.0, "alpha": 0.15, "workers": 1}
        model = SentenceRelatedness(encoder, **settings, random_state=0).fit(ten)
        assert correlation(model.predict(ten), ten.score) > 0.97
        best = max(epoch.trial_pearson for epoch in model.history_)
        found = correlation(model.predict(ten.only("trial")), ten.only("trial").score)
        assert found == pytest.approx(best, abs=1e-5), "the best epoch is kept"

    def test_a_batch_equals_its_single_sentences(self, encoder, ten):
        pytest.importorskip("torch", reason=TORCH)
        model = SentenceRelatedness(encoder, workers=1, vector_size=6, epochs=1, random_state=0).fit(ten)
        together = model.transform(ten.first)
        alone = [model.transform(ten.first.take(np.array([row])))[0] for row in range(len(ten))]
        np.testing.assert_allclose(together, alone, atol=1e-6)
        assert np.abs(together[0] - together[1]).max() > 1e-4

    def test_a_seed_decides(self, encoder, ten):
        pytest.importorskip("torch", reason=TORCH)
        first, same, other = (
            SentenceRelatedness(encoder, workers=1, vector_size=6, epochs=2, random_state=seed).fit(ten).predict(ten)
            for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(first, same)
        assert not np.array_equal(first, other)


@pytest.mark.peers
def test_the_formulas_node_by_node():
    """Tree-LSTM, DT-RNN and SDT-RNN on one tree, computed recursively from their papers."""
    torch = pytest.importorskip("torch", reason=TORCH)
    from doc2vecc_paper.neural.networks.sentence_encoders import DependencyRnnEncoder, TreeLstmEncoder

    torch.manual_seed(0)
    head = np.array([1, 3, 1, -1, 3])
    relation = np.array([0, 1, 2, 0, 1])
    trees = Trees.of(ParsedSentences(np.arange(5), head, relation, np.array([0, 5])))
    vectors = torch.randn(5, 3)
    children = {node: [child for child in range(5) if head[child] == node] for node in range(5)}
    batch = trees.batch(np.array([0]))

    lstm = TreeLstmEncoder(vectors, 4)

    def lstm_state(node):
        below = [lstm_state(child) for child in children[node]]
        w_i, w_u, w_f = lstm.from_word(vectors[node]).chunk(3)
        u_i, u_u = lstm.from_sum(sum((state for state, _ in below), torch.zeros(4))).chunk(2)
        memory = torch.sigmoid(w_i + u_i) * torch.tanh(w_u + u_u)
        for state, inner in below:
            memory = memory + torch.sigmoid(w_f + lstm.from_child(state)) * inner
        return torch.tanh(memory), memory

    torch.testing.assert_close(lstm(batch)[0], lstm_state(3)[0])

    for relations, labels in ((None, trees.position), (3, relation)):
        network = DependencyRnnEncoder(vectors, 4, relations=relations)

        def state(node, network=network, labels=labels):
            total = network.from_word(vectors[node])
            for child in children[node]:
                total = total + trees.size[child] * (network.from_child[labels[child]] @ state(child))
            return torch.tanh(total / trees.size[node])

        torch.testing.assert_close(network(batch)[0], state(3))


@pytest.mark.peers
def test_the_lstm_has_no_output_gate_and_ties_its_directions():
    torch = pytest.importorskip("torch", reason=TORCH)
    from doc2vecc_paper.neural.networks.sentence_encoders import LstmEncoder, sequences

    torch.manual_seed(0)
    vectors = torch.randn(5, 3)
    trees = Trees.of(ParsedSentences(np.array([4, 2, 1]), np.array([-1, 0, 0]), np.zeros(3, int), np.array([0, 3])))
    network = LstmEncoder(vectors, 4, is_bidirectional=True)

    def last(words):
        state = memory = torch.zeros(4)
        for word in words:
            gates = network.from_word(vectors[word]) + network.from_state(state)
            entering, forget, update = gates.chunk(3)
            memory = torch.sigmoid(entering) * torch.tanh(update) + torch.sigmoid(forget) * memory
            state = torch.tanh(memory)
        return state

    expected = torch.cat([last([4, 2, 1]), last([1, 2, 4])])
    torch.testing.assert_close(network(sequences(trees, np.array([0])))[0], expected)


@pytest.mark.peers
def test_targets_and_loss():
    torch = pytest.importorskip("torch", reason=TORCH)
    from doc2vecc_paper.neural.networks.relatedness_head import expected_score, loss, target_distribution

    targets = target_distribution(torch.tensor([3.6, 1.0, 5.0]))
    torch.testing.assert_close(targets[0], torch.tensor([0, 0, 0.4, 0.6, 0]))
    torch.testing.assert_close(expected_score(targets.clamp(min=1e-9).log()), torch.tensor([3.6, 1, 5]))
    uniform = torch.full((3, 5), 0.2).log()
    entropy = -(0.4 * np.log(0.4) + 0.6 * np.log(0.6))
    assert float(loss(uniform, torch.tensor([3.6, 1.0, 5.0]))) == pytest.approx((np.log(5) - entropy / 3) / 5)


@pytest.mark.peers
def test_an_unknown_encoder(pairs):
    pytest.importorskip("torch", reason=TORCH)
    with pytest.raises(ParameterError, match="choose from mean"):
        SentenceRelatedness("transformer", workers=1).fit(pairs)


@pytest.mark.parametrize("alignment", [False, True])
def test_hand_built_features_find_shared_words(pairs, alignment):
    model = HandBuiltFeatures(alignment).fit(pairs)
    test = pairs.only("test")
    predicted = model.predict(test)
    assert correlation(predicted, test.score) > 0.9
    assert 1 <= predicted.min() <= predicted.max() <= 5
    np.testing.assert_allclose(predicted[4], model.predict(test.take(np.array([4])))[0])
    wide, narrow = (HandBuiltFeatures(one).fit(pairs).features(test).shape[1] for one in (True, False))
    assert wide > narrow


def test_stems():
    assert [stem(word) for word in ("playing", "boys", "walked", "boxes", "is", "bed")] == [
        "play", "boy", "walk", "box", "is", "bed",
    ]  # fmt: skip
