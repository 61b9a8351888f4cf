"""The method in plain NumPy: what the kernels compute, without their speed. Read this first.

Doc2VecC (Chen, ICLR 2017) learns two vectors for every word: a row of ``inputs`` and a row of ``outputs``. A word
is an id, the number of its row in both tables.

*Document vector.* A document is the mean of the input vectors of its words (:func:`document_vector`). Training
makes that mean useful: it has to predict the words of the document.

*Corruption.* In training, every occurrence of a word in the document survives independently with probability ``keep``
(:func:`corrupt`). The sum of the survivors is weighted by 1 / (keep * T) for T occurrences
(:func:`corruption_weight`), so that the expectation of the corrupted document is the document vector.

*Hidden vector.* A target is predicted from its n local words, those in a window around it, and the corrupted
document, which counts as one more word: hidden = (local words + document) / (n + 1) (:func:`hidden_vector`). A
share ``document_only`` of the targets has no local words.

*Loss.* The target has to score higher than a few negative samples, random words of the vocabulary. The loss of a
prediction (:func:`block_loss`) is -log sigmoid(output of the target . hidden) - sum of log sigmoid(-output of a
negative sample . hidden).

*Step.* Stochastic gradient descent. Some neighboring targets, a block, share the corrupted document and the
negative samples; all gradients of a block are taken before anything moves (:func:`block_step`). The learning rate
falls linearly during training, and it is lower for documents of very few words (:func:`stable_alpha`).

The kernels do more: skip-gram, n-grams, subsampling, a learning rate that falls. In a long document several blocks
share one corrupted document; it follows the steps of its blocks, and its survivors move at the end.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from doc2vecc.kernels.training.loop import MAX_DOCUMENT_STEP
from doc2vecc.kernels.training.steps import MAX_STEP_GAIN

Vectors = npt.NDArray[np.floating[Any]]
Ids = Sequence[int]


class Method(NamedTuple):
    """The settings, by the names of the estimator."""

    window: int
    negative: int
    keep: float
    document_only: float
    shared_targets: int
    alpha: float


class Block(NamedTuple):
    """What is drawn for a few neighboring targets of a document."""

    predictions: list[tuple[int, Ids]]  # each target with its local words; none: the document alone
    negatives: Ids
    survivors: Ids
    weight: float  # of each survivor


def document_vector(inputs: Vectors, words: Ids) -> Vectors:
    """Return the vector of a document, the mean of its words; zero without words."""
    vector: Vectors = inputs[list(words)].sum(axis=0) / max(len(words), 1)
    return vector


def corrupt(generator: np.random.Generator, words: Ids, keep: float) -> list[int]:
    """Let every occurrence of a word survive with probability ``keep``."""
    return [word for word in words if generator.random() < keep]


def corruption_weight(keep: float, length: int) -> float:
    """Return the weight of a survivor, which makes up for the words that do not survive."""
    return 1 / (keep * length)


def draw_local_words(generator: np.random.Generator, words: Ids, target: int, method: Method) -> list[int]:
    """Draw the local words of the target at a position: 1 to ``window`` words to either side, or none."""
    if generator.random() < method.document_only:
        return []
    width = int(generator.integers(1, method.window, endpoint=True))
    near = range(max(target - width, 0), min(target + width + 1, len(words)))
    return [words[position] for position in near if position != target]


def hidden_vector(inputs: Vectors, local: Ids, block: Block) -> Vectors:
    """Return what a target is predicted from: (local words + corrupted document) / (n + 1)."""
    document = block.weight * inputs[list(block.survivors)].sum(axis=0)
    hidden: Vectors = (inputs[list(local)].sum(axis=0) + document) / (len(local) + 1)
    return hidden


def labeled_words(target: int, negatives: Ids) -> list[tuple[int, float]]:
    """Return the words that a prediction scores: the target has label 1, every other negative sample 0."""
    return [(target, 1.0), *((word, 0.0) for word in negatives if word != target)]


def log_sigmoid(score: float) -> float:
    """Return log(1 / (1 + exp(-score))), without overflow."""
    return float(-np.logaddexp(0, -score))


def block_loss(inputs: Vectors, outputs: Vectors, block: Block) -> float:
    """Return the sum of the losses of the predictions."""
    loss = 0.0
    for target, local in block.predictions:
        hidden = hidden_vector(inputs, local, block)
        for word, label in labeled_words(target, block.negatives):
            score = outputs[word] @ hidden
            loss -= log_sigmoid(score if label else -score)
    return loss


def block_step(inputs: Vectors, outputs: Vectors, block: Block, alpha: float, rates: Vectors | None = None) -> None:
    """Take one step of gradient descent on the loss of a block, in place.

    With ``rates`` every row moves at a rate of its own, and long steps are clipped: a step on one score may change
    that score by ``MAX_STEP_GAIN`` times its error at most.
    """
    input_steps, output_steps = np.zeros_like(inputs), np.zeros_like(outputs)
    for target, local in block.predictions:
        hidden = hidden_vector(inputs, local, block)
        hidden_step = np.zeros_like(hidden)
        for word, label in labeled_words(target, block.negatives):
            step = alpha * (label - np.exp(log_sigmoid(outputs[word] @ hidden)))
            if rates is not None:
                gain = rates[word] * hidden @ hidden
                gain += hidden_step_gain(local, block, rates) * outputs[word] @ outputs[word]
                # The targets without local words have one hidden vector, so a negative sample moves for each.
                times = 1 if label or local else sum(not words for _, words in block.predictions)
                step *= min(1, MAX_STEP_GAIN / max(alpha * times * gain, 1e-9))
            hidden_step += step * outputs[word]
            output_steps[word] += step * hidden
        hidden_step /= len(local) + 1
        np.add.at(input_steps, np.array(local, int), hidden_step)
        np.add.at(input_steps, np.array(block.survivors, int), block.weight * hidden_step)
    inputs += input_steps if rates is None else rates[:, None] * input_steps
    outputs += output_steps if rates is None else rates[:, None] * output_steps


def hidden_step_gain(local: Ids, block: Block, rates: Vectors) -> float:
    """Return how far hidden moves when its words take a gradient step of length 1."""
    times = np.bincount(np.array(block.survivors, int), minlength=len(rates))
    document = np.sum(rates * (block.weight * times) ** 2)
    return float((rates[list(local)].sum() + document) / (len(local) + 1) ** 2)


def stable_alpha(alpha: float, block: Block) -> float:
    """Lower the learning rate where the survivors' steps would move a very short document too far."""
    return min(alpha, MAX_DOCUMENT_STEP / max(len(block.survivors) * block.weight**2, 1e-9))


def train_epoch(
    tables: tuple[Vectors, Vectors],
    documents: Sequence[Ids],
    negative_probabilities: npt.NDArray[np.float64],
    method: Method,
    generator: np.random.Generator,
) -> float:
    """Train on every word of every document once, at a fixed learning rate -> mean loss per target."""
    loss = 0.0
    for words in documents:
        for start in range(0, len(words), method.shared_targets):
            targets = range(start, min(start + method.shared_targets, len(words)))
            block = Block(
                [(words[target], draw_local_words(generator, words, target, method)) for target in targets],
                generator.choice(len(negative_probabilities), method.negative, p=negative_probabilities).tolist(),
                corrupt(generator, words, method.keep),
                corruption_weight(method.keep, len(words)),
            )
            loss += block_loss(*tables, block)
            block_step(*tables, block, stable_alpha(method.alpha, block))
    return loss / max(sum(map(len, documents)), 1)
