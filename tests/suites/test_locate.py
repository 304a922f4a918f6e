import gzip
import hashlib

import pytest

from assay.core.errors import InputError, MissingPart
from assay.core.suite import SuiteCard
from assay.suites.aces import Aces
from assay.suites.demetr import Demetr
from assay.suites.hallucinations import Hallucinations
from assay.suites.locate import locate, verify
from tests.data import need

TEXT = b"source\tgood\n"
CARD = SuiteCard(
    name="toy",
    title="Toy",
    kind="contrastive",
    analysis="contrastive",
    origin="",
    licence="",
    citation="",
    languages="",
    folders=("toy", "toy_subset"),
    how_to_get="ask",
    checksums={"toy.tsv": hashlib.sha256(TEXT).hexdigest()},
    downloads={"toy.tsv": "http://127.0.0.1:9/toy.tsv"},
)


@pytest.fixture
def places(tmp_path, monkeypatch):
    for name in ("given", "environment", "cache/data"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "environment"))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def test_the_order_of_places(places):
    (places / "cache/data/toy").mkdir()
    assert locate(CARD) == places / "cache/data/toy"
    (places / "environment/toy_subset").mkdir()
    assert locate(CARD) == places / "environment/toy_subset"
    (places / "given/toy").mkdir()
    assert locate(CARD, places / "given") == places / "given/toy"


def test_a_place_may_be_the_suite_itself(places):
    (places / "environment/toy.tsv.gz").write_bytes(gzip.compress(TEXT))
    assert locate(CARD) == places / "environment"
    (places / "given/toy").mkdir()
    assert locate(CARD, places / "given/toy") == places / "given/toy"


def test_an_explicit_folder_is_the_only_place_looked_at(places):
    (places / "cache/data/toy").mkdir()
    with pytest.raises(MissingPart, match=r"assay fetch toy; .*--data-dir or ASSAY_DATA .* toy or toy_subset"):
        locate(CARD, places / "given")
    with pytest.raises(InputError, match="does not exist"):
        locate(CARD, places / "nowhere")


def test_checksums(places):
    folder = places / "given"
    (folder / "toy.tsv").write_bytes(TEXT)
    (folder / "other.tsv").write_bytes(b"not ours")
    assert verify(folder, CARD) == ["toy.tsv"]
    (folder / "toy.tsv").unlink()
    (folder / "toy.tsv.gz").write_bytes(gzip.compress(TEXT))
    assert verify(folder, CARD) == ["toy.tsv.gz"]
    (folder / "toy.tsv.gz").write_bytes(gzip.compress(TEXT + b"!"))
    with pytest.raises(InputError, match=r"toy\.tsv\.gz is not the file the Toy card knows: sha256 .* --verify"):
        verify(folder, CARD)


@pytest.mark.real
@pytest.mark.parametrize(("suite", "files"), [(Demetr, 35), (Aces, 1), (Hallucinations, 2)])
def test_the_real_copies_are_found_and_are_the_ones_on_the_cards(suite, files):
    folder = locate(suite.card, need("data"))
    assert len(verify(folder, suite.card)) == files
