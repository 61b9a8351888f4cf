"""Texts, with labels or without, and samples of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from doc2vecc_paper.datasets.fingerprints import Fingerprint, fingerprint

SPLITS = ("train", "test", "unlabeled")

RowNumbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Texts:
    """Documents without labels."""

    texts: pa.LargeStringArray
    fingerprint: Fingerprint

    @classmethod
    def of(cls, name: str, texts: pa.LargeStringArray) -> Texts:
        """Add the fingerprint to the texts."""
        return cls(texts, fingerprint(name, [texts]))

    def __len__(self) -> int:
        return len(self.texts)

    def subset(self, n: int, seed: int) -> Texts:
        """Draw ``n`` documents and keep their order; all of them if there are no more."""
        rows = stratified_rows(np.zeros(len(self), np.int64), n, seed)
        return Texts.of(self.fingerprint.name, self.texts.take(pa.array(rows)))


@dataclass(frozen=True, eq=False)
class LabeledTexts:
    """Documents, each in the split "train", "test" or "unlabeled".

    ``label`` k means ``classes[k]``; it is -1 for the unlabeled documents.
    """

    texts: pa.LargeStringArray
    split: npt.NDArray[np.str_]
    label: npt.NDArray[np.int64]
    classes: tuple[str, ...]
    fingerprint: Fingerprint

    @classmethod
    def of(
        cls,
        name: str,
        texts: pa.LargeStringArray,
        split: npt.NDArray[np.str_],
        label: npt.NDArray[np.int64],
        classes: tuple[str, ...],
    ) -> LabeledTexts:
        """Add the fingerprint to the columns."""
        return cls(texts, split, label, classes, fingerprint(name, [texts], split, label, np.array(classes)))

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: RowNumbers) -> LabeledTexts:
        """Return these rows, with a fingerprint of their own."""
        texts = self.texts.take(pa.array(rows))
        return LabeledTexts.of(self.fingerprint.name, texts, self.split[rows], self.label[rows], self.classes)

    def only(self, *splits: str) -> LabeledTexts:
        """Return some splits of the data: ``only("train", "unlabeled")`` leaves out the test split."""
        unknown = set(splits) - set(SPLITS)
        if unknown or not splits:
            raise ValueError(f"splits={splits!r} are unknown or none; name some of {', '.join(SPLITS)}")
        return self.take(np.flatnonzero(np.isin(self.split, splits)))

    def subset(self, n: int, seed: int) -> LabeledTexts:
        """Draw ``n`` documents so that splits and labels keep their shares; all of them if there are no more."""
        splits = np.unique(self.split, return_inverse=True)[1]
        return self.take(stratified_rows((len(self.classes) + 1) * splits + self.label, n, seed))


def stratified_rows(groups: RowNumbers, n: int, seed: int) -> RowNumbers:
    """Draw ``n`` rows, in their order: each group keeps its share, rounded, and at least one row.

    >>> groups = np.array([7, 7, 7, 7, 7, 7, 9, 9, 9])
    >>> groups[stratified_rows(groups, 3, seed=0)].tolist()
    [7, 7, 9]
    """
    if n >= len(groups):
        return np.arange(len(groups))
    _, members, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if n < len(sizes):
        raise ValueError(f"n={n} is too few for one row of each of the {len(sizes)} groups; draw more")
    quotas = _quotas(sizes, n)
    draw = np.random.default_rng(seed)
    chosen = [draw.choice(np.flatnonzero(members == group), quota, replace=False) for group, quota in enumerate(quotas)]
    return np.sort(np.concatenate(chosen))


def _quotas(sizes: RowNumbers, n: int) -> RowNumbers:
    """Divide ``n`` among groups in proportion to their sizes, at least one each: the largest remainders round up.

    [6, 3, 1], 5 -> [3, 1, 1]
    """
    exact = n * sizes / sizes.sum()
    quotas: RowNumbers = np.maximum(np.floor(exact), 1).astype(np.int64)
    left = n - int(quotas.sum())
    if left > 0:
        quotas[np.argsort(quotas - exact, kind="stable")[:left]] += 1
    for _ in range(-left):  # small groups got one row: take it from the largest
        quotas[np.argmax(quotas)] -= 1
    return quotas
