"""A module for sentence-transformers: a text is the mean of the vectors of its words and n-grams.

doc2vecc copies this file into an exported folder. It does not need doc2vecc.
"""

import shutil
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers.base.modules.input_module import InputModule
from tokenizers import Tokenizer

Ids = npt.NDArray[np.int64]


class NgramMean(InputModule):  # type: ignore[misc]
    """Vectors of words and n-grams, averaged.

    N-gram number i has the id ``n_words + i`` and is ``ngrams[i]``: the id of all its words but the last, and the id of
    its last word. The tokenizer gives unknown words the id ``n_words``. With ``binary`` each word and n-gram of a text
    counts once.
    """

    config_keys = ("binary",)

    def __init__(self, tokenizer: Tokenizer, vectors: torch.Tensor, ngrams: torch.Tensor, binary: bool) -> None:
        super().__init__()
        self.tokenizer = tokenizer
        self.embedding = torch.nn.EmbeddingBag.from_pretrained(vectors, freeze=False, mode="sum")
        self.ngrams = ngrams
        self.binary = binary
        self._n_words = len(vectors) - len(ngrams)
        prefixes, last = ngrams.numpy().astype(np.int64).T
        keys = prefixes << 32 | last
        self._ngram_ids = np.argsort(keys) + self._n_words
        self._keys = np.sort(keys)

    def preprocess(self, inputs: list[str], prompt: str | None = None, **_: object) -> dict[str, torch.Tensor]:
        """Turn texts into the ids of their words and n-grams, one text after the other."""
        if prompt:
            inputs = self._prepend_prompt(inputs, prompt)
        encodings = self.tokenizer.encode_batch(inputs, add_special_tokens=False)
        words = np.array([word for encoding in encodings for word in encoding.ids], np.int64)
        texts = np.repeat(np.arange(len(inputs)), [len(encoding.ids) for encoding in encodings])
        texts, ids, counts = self._features(texts, words)
        # Repeated rows are added once, with a weight: a long sum of float32 is not precise.
        totals = np.bincount(texts, counts, len(inputs))
        return {
            "input_ids": torch.from_numpy(ids),
            "offsets": torch.from_numpy(np.searchsorted(texts, np.arange(len(inputs)))),
            "weights": torch.from_numpy((counts / totals[texts]).astype(np.float32)),
        }

    def _features(self, texts: Ids, words: Ids) -> tuple[Ids, Ids, Ids]:
        """Add the n-grams to the words of the texts -> (text, id, count) of each, in the order of the texts."""
        n_ids = self.embedding.num_embeddings
        is_next = np.concatenate([[False], texts[1:] == texts[:-1]])[: len(texts)]
        known = words < self._n_words
        found = [texts[known] * n_ids + words[known]]
        tails = np.where(known, words, -1)  # what ends at each word: the word, then pairs, and so on
        while len(self._keys) and np.any(tails >= 0):
            before = np.where(is_next, np.roll(tails, 1), -1)
            keys = np.where((before >= 0) & known, before << 32 | words, -1)
            places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            tails = np.where(self._keys[places] == keys, self._ngram_ids[places], -1)
            found.append(texts[tails >= 0] * n_ids + tails[tails >= 0])
        features, counts = np.unique(np.concatenate(found), return_counts=True)
        return features // n_ids, features % n_ids, np.ones_like(counts) if self.binary else counts

    def forward(self, features: dict[str, torch.Tensor], **_: object) -> dict[str, torch.Tensor]:
        """Average the vectors of each text."""
        ids, offsets, weights = (features[name] for name in ("input_ids", "offsets", "weights"))
        features["sentence_embedding"] = self.embedding(ids, offsets, per_sample_weights=weights)
        return features

    def get_embedding_dimension(self) -> int:
        """Return the dimension of the vectors."""
        return int(self.embedding.embedding_dim)

    def save(self, output_path: str, *_: object, **__: object) -> None:
        """Write what :meth:`load` reads."""
        vectors = self.embedding.weight.detach().contiguous()
        save_file({"embeddings": vectors, "ngrams": self.ngrams}, str(Path(output_path) / "model.safetensors"))
        self.tokenizer.save(str(Path(output_path) / "tokenizer.json"))
        self.save_config(output_path)
        shutil.copy(__file__, output_path)

    @classmethod
    def load(cls, model_name_or_path: str, **options: Any) -> Self:  # noqa: ANN401
        """Read a folder, or a model of a hub."""
        names = ("subfolder", "token", "cache_folder", "revision", "local_files_only")
        hub = {name: options[name] for name in names if name in options}
        arrays = load_file(cls.load_file_path(model_name_or_path, filename="model.safetensors", **hub))
        tokenizer = Tokenizer.from_file(cls.load_file_path(model_name_or_path, filename="tokenizer.json", **hub))
        config = cls.load_config(model_name_or_path, **hub)
        return cls(tokenizer, arrays["embeddings"], arrays["ngrams"], config["binary"])
