from __future__ import annotations

import pytest

from assay.core.errors import InputError, UnknownName
from assay.io.table.vocabulary import ROLES, Wanted, assign, plain, spelled

WANTED = Wanted(
    {"mt": ("hypothesis", "target"), "reference": ("reference",), "id": ("id", "segment id")},
    required=("mt",),
    once=("mt", "reference", "references"),
)


def test_a_spelling_is_plain_and_belongs_to_one_role() -> None:
    spellings = [spelling for names in ROLES.values() for spelling in names]
    assert len(spellings) == len(set(spellings))
    assert all(plain(spelling) == spelling for spelling in spellings)


@pytest.mark.parametrize("name", ["Good-Translation", "good_translation", " GOOD  translation ", '"good-translation"'])
def test_case_blanks_hyphens_and_underscores_are_alike(name: str) -> None:
    assert plain(name) == "good translation" and spelled([name, "x"], "good translation") == [name]


def test_the_users_choice_goes_first_then_the_best_role() -> None:
    assert assign(["target", "mt", "Seg-ID"], WANTED, {}, "f").places == {"mt": 1, "id": 2}
    assert assign(["target", "x"], WANTED, {}, "f").places == {"mt": 0}
    assert assign(["target", "mt", "Out"], WANTED, {"hyp": "out"}, "f").places == {"mt": 2}
    with pytest.raises(UnknownName, match=r"unknown column 'ot' in f. Did you mean out"):
        assign(["out"], WANTED, {"mt": "ot"}, "f")
    with pytest.raises(UnknownName, match=r"unknown role of a column 'mtt'. Did you mean mt"):
        assign(["out"], WANTED, {"mtt": "out"}, "f")


def test_what_is_doubtful_is_refused() -> None:
    for names, said in (
        (["mt", "hyp"], r"f has 2 columns for the mt \(mt, hyp\)"),
        (["mt", "MT"], "two columns named 'MT'"),
        (["mt", "ref", "ref1"], r"two columns for reference 1 \(ref, ref1\)"),
        (["mt", "ref", "refs"], r"references in 'refs' and in 'ref'\. Keep one"),
        (["x"], r"f has no column mt\. It has x"),
        ([], "f is empty"),
    ):
        with pytest.raises(InputError, match=said):
            assign(names, WANTED, {}, "f")


def test_references_by_number_by_choice_and_as_lists() -> None:
    assert assign(["mt", "ref10", "Reference_2", "ref"], WANTED, {}, "f").references == (3, 2, 1)
    assert assign(["mt", "ref", "gold"], WANTED, {"reference": "gold"}, "f").references == (2,)
    assert assign(["mt", "refs"], WANTED, {}, "f").references_list == 1


def test_a_column_that_was_chosen_can_be_kept_from_its_own_role() -> None:
    alone = Wanted({"good": ("good",), "reference": ("reference",)}, shared=False)
    assert not assign(["reference", "x"], alone, {"good": "reference"}, "f").has_reference
    assert assign(["ref", "reference"], alone, {}, "f").references == (1,)


def test_a_column_called_ref_and_thousands_of_digits_is_some_other_column() -> None:
    wanted = Wanted({"reference": ("reference",)})
    assert assign(["ref", "ref2", "ref" + "9" * 5000, "ref１"], wanted, None, "a.tsv").references == (0, 1)
