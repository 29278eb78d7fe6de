"""Several quantities in lexicographic order: a native search for each stage."""
