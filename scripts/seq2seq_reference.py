"""Test fixture: numbers of MetricX's, BARTScore's and Prism's own code on small random checkpoints.

Writes tests/fixtures/seq2seq/reference.json. Each peer runs in a separate environment, on a checkout of its repository:

    python scripts/seq2seq_reference.py vocabulary                     # spiece.model, spm.model, dict.txt (sentencepiece)
    python scripts/seq2seq_reference.py metricx   --code metricx       # transformers 4.30.2, tokenizers, sentencepiece
    python scripts/seq2seq_reference.py bartscore --code BARTScore     # the same environment
    python scripts/seq2seq_reference.py prism     --code prism         # fairseq 0.12 (Python 3.8), sentencepiece, sacrebleu

tests/fixtures/seq2seq/tiny.py makes the checkpoints, with the same bits everywhere. None of the peers' code is stored.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import types
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "seq2seq"


def vocabulary(folder: Path, code: Path) -> dict:
    """Write two small sentencepiece models of the example texts, and fairseq's dictionary of one."""
    import sentencepiece
    import tiny

    text = folder / "texts.txt"
    text.write_text("\n".join(side[:200] for row in tiny.ROWS for side in row if side), encoding="utf-8")
    common = {
        "input": str(text), "model_type": "unigram", "vocab_size": 110, "hard_vocab_limit": False, "character_coverage": 1.0,
        "minloglevel": 2, "normalization_rule_name": "identity",
    }  # fmt: skip
    spoken = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    sentencepiece.SentencePieceTrainer.train(model_prefix=str(FIXTURES / "spiece"), **spoken, **common)
    sentencepiece.SentencePieceTrainer.train(model_prefix=str(FIXTURES / "spm"), **common)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(FIXTURES / "spm.model"))
    pieces = [processor.id_to_piece(i) for i in range(3, processor.get_piece_size())]
    lines = [f"{piece} {1000 - i}" for i, piece in enumerate([*pieces[::-1], "<de>", "<en>"])]
    (FIXTURES / "dict.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("spiece.vocab", "spm.vocab"):
        (FIXTURES / name).unlink()
    return {}


def metricx(folder: Path, code: Path) -> dict:
    """Return MetricX-23's and -24's predictions, with and without a reference, with their own processing of the input."""
    import tiny
    import torch
    import transformers

    sys.path.insert(0, str(code))
    sys.modules["datasets"] = types.SimpleNamespace(load_dataset=_dataset)
    model_folder = tiny.metricx(folder / "metricx")
    tokenizer = transformers.T5TokenizerFast(str(model_folder / "spiece.model"), extra_ids=0)
    rows = folder / "rows.jsonl"
    told = [{"source": source, "hypothesis": text, "reference": reference} for source, text, reference in tiny.ROWS]
    rows.write_text("\n".join(map(json.dumps, told)))

    def words(text, **options):
        # Trailing spaces become a token in transformers 4.30, unlike in sentencepiece and later versions.
        return tokenizer(text.rstrip(), **options)

    found = {}
    for version, longest in (("23", 1024), ("24", 1536)):
        models = importlib.import_module(f"metricx{version}.models")
        predict = importlib.import_module(f"metricx{version}.predict")
        model = models.MT5ForRegression.from_pretrained(str(model_folder))
        model.eval()
        for qe in (False, True):
            data = predict.get_dataset(str(rows), words, longest, "cpu", qe)["test"]
            with torch.no_grad():
                answers = [
                    model(torch.tensor([one["input_ids"]]), torch.tensor([one["attention_mask"]])).predictions.item()
                    for one in data
                ]
            found["metricx-{}{}".format(version, "-qe" if qe else "")] = answers
    return found


class _Rows(list):
    """Stub of a `datasets` data set with the methods that MetricX's script calls."""

    def map(self, change):
        return _Rows(change(dict(row)) if "input" in row or "hypothesis" in row else row for row in self)

    def set_format(self, **_):
        return None


class _Splits(dict):
    def map(self, change):
        def merged(row):
            made = change(row)
            return {**row, **dict(made)}

        return _Splits({name: _Rows(merged(dict(row)) for row in rows) for name, rows in self.items()})

    def set_format(self, **_):
        return None


def _dataset(kind, data_files):
    lines = Path(data_files["test"]).read_text().splitlines()
    return _Splits({"test": _Rows(json.loads(line) for line in lines)})


def bartscore(folder: Path, code: Path) -> dict:
    """Return BARTScore in its three directions."""
    import tiny

    sys.path.insert(0, str(code))
    scorer = importlib.import_module("bart_score").BARTScorer(device="cpu", checkpoint=str(tiny.bart(folder / "bart")))
    sources, hypotheses, references = tiny.SOURCES, tiny.HYPOTHESES, tiny.REFERENCES
    return {
        "bartscore-precision": scorer.score(references, hypotheses, batch_size=4),
        "bartscore-recall": scorer.score(hypotheses, references, batch_size=4),
        "bartscore-faithfulness": scorer.score(sources, hypotheses, batch_size=4),
    }


def prism(folder: Path, code: Path) -> dict:
    """Return Prism with a reference and with the source: fairseq's network, Prism's own scorer and averages."""
    import sentencepiece
    import tiny
    import torch
    from fairseq.data import Dictionary
    from fairseq.models.transformer import TransformerModel

    sys.path.insert(0, str(code))
    theirs = importlib.import_module("prism")
    found = {}
    sources, hypotheses, references = tiny.SOURCES, tiny.HYPOTHESES, tiny.REFERENCES
    for name, before in (("prism", True), ("prism-after", False)):
        made = tiny.prism(folder / name, before=before)
        content = torch.load(str(made / "checkpoint.pt"), map_location="cpu")
        words = Dictionary.load(str(made / "dict.src.txt"))
        task = types.SimpleNamespace(source_dictionary=words, target_dictionary=words)
        model = TransformerModel.build_model(content["args"], task)
        model.load_state_dict(content["model"], strict=True)
        for module in model.modules():
            module.ever_training = True  # fairseq's plain layers: its optimised path does not work with current torch
        model.eval()

        whole = theirs.Prism.__new__(theirs.Prism)
        whole.sp = sentencepiece.SentencePieceProcessor(model_file=str(made / "spm.model"))
        whole.lang, whole.temperature, whole.task, whole.models, whole.use_cuda = "en", 1.0, task, [model], False
        whole.generator = theirs.SequenceScorer(words)
        whole.task.inference_step = lambda generator, models, sample: generator.generate(models, sample)
        whole._build_batches = lambda read, asked, skip_invalid_size_inputs, words=words: _batches(read, asked, words)
        found[name] = whole.score(cand=hypotheses, ref=references, segment_scores=True).tolist()
        found[name + "-qe"] = whole.score(cand=hypotheses, src=sources, segment_scores=True).tolist()
        whole.generator = theirs.SequenceScorer(words, temperature=2.0)
        found[name + "-warm"] = whole.score(cand=hypotheses, ref=references, segment_scores=True).tolist()
    return found


def _batches(read, asked, words):
    """Return batches of three as fairseq's own data set makes them: padded, sources on the left, the end token moved to the
    front.
    """
    import numpy as np
    from fairseq.data import LanguagePairDataset

    sizes = [np.array([len(one) for one in side]) for side in (read, asked)]
    data = LanguagePairDataset(read, sizes[0], words, tgt=asked, tgt_sizes=sizes[1], tgt_dict=words)
    for first in range(0, len(read), 3):
        yield data.collater([data[i] for i in range(first, min(first + 3, len(read)))])


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=("vocabulary", "metricx", "bartscore", "prism"))
    parser.add_argument("--code", type=Path, default=Path(), help="a checkout of the peer's repository")
    arguments = parser.parse_args()
    sys.path.insert(0, str(FIXTURES))
    with tempfile.TemporaryDirectory() as folder:
        found = globals()[arguments.peer](Path(folder), arguments.code.resolve())
    path = FIXTURES / "reference.json"
    known = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps({**known, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
