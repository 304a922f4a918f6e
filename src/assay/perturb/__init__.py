"""Perturbations by name: one file a perturbation or family, one line here."""

from assay.core.registry import Registry

_DEMETR = {
    "repeat-twice": "demetr_repetition:RepeatTwice",
    "repeat-four-times": "demetr_repetition:RepeatFourTimes",
    "hypernym": "demetr_lexical:Hypernym",
    "untranslated-word": "demetr_untranslated:UntranslatedWord",
    "omitted-prepositional-phrase": "demetr_omission:OmittedPrepositionalPhrase",
    "added-word": "demetr_addition:AddedWord",
    "antonym": "demetr_lexical:Antonym",
    "negation": "demetr_verbs:Negation",
    "name-replaced": "demetr_names:NameReplaced",
    "number-replaced": "demetr_numbers:NumberReplaced",
    "gender-pronoun": "demetr_pronouns:GenderPronoun",
    "omitted-conjunction": "demetr_omission:OmittedConjunction",
    "part-of-speech-shift": "demetr_lexical:PartOfSpeechShift",
    "word-swap": "demetr_order:WordSwap",
    "pronoun-case": "demetr_pronouns:PronounCase",
    "function-word": "demetr_function_words:FunctionWord",
    "tense": "demetr_verbs:Tense",
    "aspect": "demetr_verbs:Aspect",
    "interrogative": "demetr_interrogative:Interrogative",
    "omitted-adjective-adverb": "demetr_omission:OmittedAdjectiveAdverb",
    "omitted-verb": "demetr_omission:OmittedVerb",
    "omitted-noun": "demetr_omission:OmittedNoun",
    "omitted-subject": "demetr_omission:OmittedSubject",
    "omitted-name": "demetr_omission:OmittedName",
    "misspelling": "demetr_spelling:Misspelling",
    "character-removed": "demetr_spelling:CharacterRemoved",
    "final-punctuation-removed": "demetr_typography:FinalPunctuationRemoved",
    "punctuation-added": "demetr_typography:PunctuationAdded",
    "tokenized": "demetr_typography:Tokenized",
    "lowercase-all": "demetr_typography:LowercaseAll",
    "lowercase-first": "demetr_typography:LowercaseFirst",
    "empty": "demetr_baselines:Empty",
    "unrelated": "demetr_baselines:Unrelated",
    "shuffled": "demetr_baselines:Shuffled",
    "reference": "demetr_baselines:Reference",
}
"""In DEMETR's order: the number of a perturbation is its place here."""

PERTURBATIONS = Registry("perturbation", {name: f"assay.perturb.{target}" for name, target in _DEMETR.items()})
