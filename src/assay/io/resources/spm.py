"""SentencePiece models for spBLEU: their URLs and the locations of local copies. Nothing is downloaded here."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from assay.io.files.paths import cache_dir, is_trusted


@dataclass(frozen=True, slots=True)
class SpmModel:
    """One published SentencePiece model. Its authors publish no checksum; BLEU's signature contains the file's hash."""

    name: str
    url: str
    sacrebleu_file: str
    """The file name of sacrebleu's copy."""
    citation: str


SPM_MODELS = {
    "flores101": SpmModel(
        name="flores101",
        url="https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
        sacrebleu_file="sacrebleu_tokenizer_spm.model",
        citation="Goyal et al. 2022, The FLORES-101 evaluation benchmark",
    ),
    "flores200": SpmModel(
        name="flores200",
        # sacrebleu uses https://tinyurl.com/flores200sacrebleuspm, which redirects to this URL.
        url="https://dl.fbaipublicfiles.com/large_objects/nllb/models/spm_200/flores200_sacrebleu_tokenizer_spm.model",
        sacrebleu_file="flores200sacrebleuspm",
        citation="NLLB Team et al. 2022, No language left behind",
    ),
}


def spm_home(name: str) -> Path:
    """Return the path of assay's copy of a model in the cache folder."""
    return cache_dir() / "spm" / f"{name}.model"


def find_spm(name: str) -> Path | None:
    """Return a local copy of a published model: assay's own, else sacrebleu's (``$SACREBLEU`` or ``~/.sacrebleu``)."""
    sacrebleu = os.environ.get("SACREBLEU")
    theirs = (Path(sacrebleu) if sacrebleu else Path.home() / ".sacrebleu") / "models" / SPM_MODELS[name].sacrebleu_file
    own = [spm_home(name)] if is_trusted(spm_home(name).parent) else []
    return next((path for path in (*own, theirs) if path.is_file()), None)
