from __future__ import annotations

from tests.perturb.texts import every


def test_words_from_wordnet() -> None:
    assert every("antonym", "The film was long.") == {"The film was short."}
    # WordNet 3.0: violinist, fiddler @ musician, instrumentalist, player
    assert every("hypernym", "The violinist left.") == {"The musician left."}
    assert "refused: no word with an antonym" in every("antonym", "Oh!")
    shifted = every("part-of-speech-shift", "It is important.")
    assert shifted <= {"It is importance.", "It is importantly."}
    assert shifted


def test_the_article_follows_the_new_word() -> None:
    assert every("antonym", "It is a possible plan.") == {"It is an impossible plan."}
