"""A folder in the shape of GEMBA's repository with words of our own, and the facts by which assay would know them."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest

from assay.core.schema import Place
from assay.io.judgements import gemba
from assay.io.judgements.prompts import prompt_of

CLASSES = ["Rubbish", "Rubbish, but polite", "Usable", "Good, small slips", "Flawless"]
ASK = 'Rate {target_lang} \\"{target_seg}\\" for {source_lang} \\"{source_seg}\\"'
PROMPT = (
    """import re
raise SystemExit("this file was run")

def number(x):
    return int(x)

prompts = {
"""
    + "".join(
        f'''    "{kind}{ref}": {{
        "prompt": "{ASK}" + " {shown}, please.\\n{kind}: ",
        "use_ref": {bool(ref)},
        "validate_answer": lambda x, classes={CLASSES!r}: number(x),
        "max_tokens": 100}},
'''
        for kind in ("GEMBA-DA", "GEMBA-SQM", "GEMBA-stars", "GEMBA-classes")
        for ref, shown in (("", "as you see fit"), ("_ref", "beside {reference_seg}"))
    )
    + "}\n"
)
TALK = '''
def talk(shots):
    prompts = [{"role": "system", "content": f"You look for slips."}]
    template = """From {source_lang}: <{source_seg}>
Into {target_lang}: <{target_seg}>""" + "\\nSlips?"
    for shot in shots:
        prompts.append({"role": "user", "content": template.format(**shot)})
        prompts.append({"role": "assistant", "content": shot["answer"]})
    return prompts

shots = {
    "b": {"source_lang": "English", "source_seg": "Two teas.", "target_lang": "German", "target_seg": "Zwei Tee {x}.",
          "answer": 'Major:\\nno-error\\nMinor:\\nfluency - "Tee"\\n'},
    "a": {"source_lang": "English", "source_seg": "Rain.", "target_lang": "French", "target_seg": "Pluie.", "answer": "no-error"},
}
'''
FILES = {
    "gemba/prompt.py": PROMPT,
    "gemba/gemba_mqm_utils.py": f"import ipdb\n{TALK}\nTEMPLATE_GEMBA_MQM = talk([shots['a'], shots['b']])\n",
    "gemba/gemba_esa.py": f"{TALK}\nTEMPLATE_GEMBA_ESA_ERROR_SPANS = talk([shots['b']])\n"
    "TEMPLATE_GEMBA_ESA_RANKING = 'Score {target_seg} of {source_seg}: {error_spans}'\n",
}


def checkout(folder: Path) -> Path:
    """The folder with its files."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def know(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """assay knows the files and prompts of this folder, as it knows those of the authors."""
    real = gemba.facts()
    made = {name: prompt_of(gemba._document(name, folder), Place("made")) for name in real.prompts}
    ours = gemba.GembaFacts(
        real.commit,
        {name: hashlib.sha256(text.encode()).hexdigest() for name, text in FILES.items()},
        {name: dataclasses.replace(fact, sha256=made[name].sha256) for name, fact in real.prompts.items()},
    )
    monkeypatch.setattr(gemba, "facts", lambda: ours)
