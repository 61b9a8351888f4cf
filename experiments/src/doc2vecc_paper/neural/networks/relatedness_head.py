"""Two sentence vectors -> relatedness, the same head for all encoders (Tai et al. 2015)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

LOWEST, HIGHEST = 1, 5
CLASSES = HIGHEST - LOWEST + 1


class RelatednessHead(nn.Module):  # type: ignore[misc]
    """Product and absolute difference -> 50 sigmoid units -> a distribution over the scores 1 to 5."""

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(2 * size, hidden)
        self.classes = nn.Linear(hidden, CLASSES)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Return the logarithms of the probabilities, a row for each pair."""
        features = torch.cat([first * second, (first - second).abs()], dim=1)
        return torch.log_softmax(self.classes(torch.sigmoid(self.hidden(features))), dim=1)


def target_distribution(scores: Tensor) -> Tensor:
    """Divide a score between its neighboring integers: 3.6 -> 0.4 for 3 and 0.6 for 4."""
    return (1 - (scores[:, None] - torch.arange(LOWEST, HIGHEST + 1)).abs()).clamp(min=0)


def expected_score(log_probabilities: Tensor) -> Tensor:
    """Return the mean of the predicted distributions."""
    return log_probabilities.exp() @ torch.arange(LOWEST, HIGHEST + 1).to(log_probabilities.dtype)


def loss(log_probabilities: Tensor, scores: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence from the target, divided by the number of classes, mean over pairs."""
    target = target_distribution(scores).to(log_probabilities.dtype)
    return nn.functional.kl_div(log_probabilities, target, reduction="sum") / target.numel()
