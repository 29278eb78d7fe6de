"""Problems in words: what is minimized within which limits, and why nothing meets them."""
