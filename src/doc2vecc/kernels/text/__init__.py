"""From the bytes of texts to ids and vectors: scan tokens, look words and n-grams up, count, embed."""
