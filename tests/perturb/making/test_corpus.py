from __future__ import annotations

from assay.perturb.making.corpus import allocate_items


def test_quotas_by_share() -> None:
    assert allocate_items({"de-en": 10, "fr-en": 15, "ru-en": 5}, 7) == {"de-en": 2, "fr-en": 4, "ru-en": 1}
    assert allocate_items({"de-en": 3}, 1000) == {"de-en": 1000}
    assert allocate_items({}, 5) == {}
