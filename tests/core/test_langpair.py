from __future__ import annotations

import pytest

from assay.core.langpair import target, written


@pytest.mark.parametrize(
    ("langpair", "language", "code"),
    [
        ("en-de", "de", "de"),
        ("en-zh", "zh", "zh"),
        ("en-zh-CN", "zh-CN", "zh"),
        ("pt-BR-en", "en", "en"),
        ("pt-BR-en-US", "en-US", "en"),
        ("en_US-zh_TW", "zh_TW", "zh"),
        ("eng_Latn-zho_Hans", "zho_Hans", "zh"),
        ("eng-jpn", "jpn", "ja"),
        ("EN-KO", "KO", "ko"),
        ("zh-Hans-en", "en", "en"),
        ("eng_Latn-khm_Khmr", "khm_Khmr", "km"),
        ("ja", "ja", "ja"),
        ("en-", "", ""),
        ("", "", ""),
        (None, "", ""),
    ],
)
def test_the_language_translated_into(langpair: str | None, language: str, code: str) -> None:
    assert target(langpair) == language
    assert written(language) == code
