"""Metadata cards of metrics with a pretrained encoder: needs, meaning, citation and languages."""

from __future__ import annotations

from dataclasses import replace

from assay.core.metric import Card, Needs
from assay.core.weights import WeightsNeeded
from assay.data import model_languages
from assay.data.checkpoints import checkpoints
from assay.metrics.published import weights_of

_MBERT, _LABSE_NAME, _PARAPHRASE = "bert-base-multilingual-cased", "labse", "paraphrase-multilingual-mpnet-base-v2"


def _card(
    name: str,
    label: str,
    needs: Needs,
    meaning: str,
    citation: str,
    encoder: str,
    *,
    bounds: tuple[float | None, float | None] = (-1.0, 1.0),
    given: str = "",
) -> Card:
    return Card(
        name=name,
        label=label,
        needs=needs,
        higher_is_better=True,
        range=bounds,
        meaning=meaning,
        languages=model_languages()[encoder],
        licence=f"{checkpoints()[encoder].licence} (the encoder {encoder})",
        citation=citation,
        extra="neural",
        decimals=4,
        kind="embedding",
        weights=replace(weights_of(encoder), given=given),
    )


BERTSCORE = _card(
    "bertscore",
    "BERTScore",
    "reference",
    "Similarity of the tokens of translation and reference: F1 of each token's best match in a pretrained encoder.",
    "Zhang et al. 2020, BERTScore: evaluating text generation with BERT, section 3",
    _MBERT,
    bounds=(None, 1.0),
)
_YISI = (
    "Lo 2019, YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different levels of "
    "available resources, section 2; weights and n-grams as in its released code; without semantic roles"
)
YISI1 = _card(
    "yisi1",
    "YiSi-1",
    "reference",
    "Share of the meaning of the reference's tokens in the translation; with idf, rare tokens count more.",
    _YISI,
    _MBERT,
    bounds=(0.0, 1.0),
)
YISI2 = _card(
    "yisi2",
    "YiSi-2",
    "source",
    "Share of the meaning of the source's tokens in the translation, in a multilingual encoder, without a reference.",
    _YISI,
    _MBERT,
    bounds=(0.0, 1.0),
)
_LABSE = "Feng et al. 2022, Language-agnostic BERT sentence embedding"
LABSE_SIM = _card(
    "labse-sim",
    "LaBSE",
    "source",
    "Cosine of the sentence vectors of translation and source. It detects texts that are not translations, but does not rank "
    "good ones.",
    f"{_LABSE}; as a detector: Guerreiro et al. 2023 (xCOMET), note 7",
    _LABSE_NAME,
)
TEACHER_SIM = _card(
    "hwtsc-teacher-sim",
    "HWTSC-Teacher-Sim",
    "source",
    "Cosine of the sentence vectors of translation and source. The authors' fine-tuned encoder is not published; by default "
    "the encoder that they started from is used.",
    "Liu et al. 2022, Partial could be better than whole: HW-TSC 2022 submission for the metrics shared task",
    _PARAPHRASE,
)
_MEE = (
    "Mukherjee et al. 2020, MEE: an automatic metric for evaluation using embeddings for machine translation; Mukherjee and "
    "Shrivastava 2022, Unsupervised embedding-based metric for MT evaluation with improved human correlation; as in the code "
    "released for WMT22"
)
MEE = Card(
    name="mee",
    label="MEE",
    needs="reference",
    higher_is_better=True,
    range=(0.0, 1.0),
    meaning="Mean of three F-scores: equal words, and words with similar vectors (cosine from 0.5, from 0.4).",
    licence="Apache-2.0; the word vectors have their own (fastText's: CC BY-SA 3.0)",
    citation=_MEE,
    decimals=4,
    weights=WeightsNeeded(
        None,
        "word vectors in text format, such as fastText's (vectors=FILE)",
        what="word vectors",
        licence="their own",
    ),
)
MEE2 = _card(
    "mee2",
    "MEE2",
    "reference",
    "MEE, BLEU of character n-grams, and the cosine of LaBSE's sentence vectors, which is half of the score.",
    f"{_MEE}; {_LABSE}",
    _LABSE_NAME,
    given="word vectors (vectors=FILE)",
)
MEE4 = _card(
    "mee4",
    "MEE4",
    "reference",
    "MEE, BLEU of character n-grams, and the cosine of LaBSE's sentence vectors, which is three quarters of the score.",
    f"{_MEE}; {_LABSE}",
    _LABSE_NAME,
    given="word vectors (vectors=FILE)",
)
