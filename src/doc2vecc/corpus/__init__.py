"""Text becomes ids: sources -> tokens -> vocabulary -> encoded corpus."""
