"""Tables of texts: one reader for every form in which people keep them."""
