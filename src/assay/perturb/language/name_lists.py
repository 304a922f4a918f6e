"""Names of people to put in place of others, chosen by us: given names by gender and surnames, by script."""

from __future__ import annotations

from assay.perturb.demetr.rules import listed

FEMALE: dict[str, tuple[str, ...]] = {
    "latin": listed(
        "Alice Amanda Anna Barbara Camilla Carla Caroline Catherine Charlotte Clara Diana Dorothy Edith Eleanor Elena "
        "Emily Emma Eva Fiona Flora Frances Gloria Grace Greta Hannah Helen Ingrid Irene Isabel Jane Janet Joanna Judith "
        "Julia Karen Laura Linda Lucy Margaret Maria Martha Monica Nancy Nina Olivia Patricia Rachel Rebecca Rita Rosa "
        "Ruth Sandra Sarah Silvia Sofia Stella Susan Teresa Valerie Vera Victoria Virginia Wendy"
    ),
    "cyrillic": listed("Анна Вера Галина Дарья Елена Ирина Ксения Лариса Мария Надежда Ольга Светлана Татьяна"),
    "han": listed("安娜 玛丽 海伦 爱丽丝 劳拉 克拉拉 艾玛 露西 苏珊 朱莉娅"),
    "kana": listed("アンナ マリア ヘレン アリス ローラ クララ エマ ルーシー スーザン ジュリア"),
}

MALE: dict[str, tuple[str, ...]] = {
    "latin": listed(
        "Adam Albert Andrew Anthony Arthur Benjamin Bernard Brian Bruno Carl Charles Daniel David Dennis Douglas Edward "
        "Eric Felix Francis Frank Frederick George Gerald Gordon Gregory Harold Henry Howard Hugo Ivan Jack James John "
        "Joseph Julian Keith Kenneth Lawrence Leo Louis Marcus Martin Matthew Michael Nicholas Norman Oliver Oscar "
        "Patrick Paul Peter Philip Ralph Raymond Richard Robert Roger Ronald Samuel Simon Stephen Thomas Victor Walter "
        "William"
    ),
    "cyrillic": listed("Алексей Борис Виктор Григорий Дмитрий Евгений Иван Константин Максим Николай Павел Сергей"),
    "han": listed("约翰 彼得 亨利 查尔斯 保罗 马丁 罗伯特 托马斯 理查德 维克多"),
    "kana": listed("ジョン ピーター ヘンリー チャールズ ポール マーティン ロバート トーマス リチャード ビクター"),
}

SURNAMES: dict[str, tuple[str, ...]] = {
    "latin": listed(
        "Abbott Adler Bailey Baker Barnes Becker Bennett Berger Blake Bowman Brandt Brennan Burton Caldwell Carlsen "
        "Carver Chandler Cohen Coleman Crawford Dawson Delgado Dixon Doyle Dunn Eklund Ellis Farrell Ferrari Fischer "
        "Fletcher Fuentes Garza Gibson Goodwin Graves Griffin Hansen Harper Hartmann Hayes Herrera Hoffman Holt Hughes "
        "Ibarra Jansen Keller Kendall Knight Kowalski Lambert Larsen Lindgren Lopez Maddox Marino Mercer Moreau Morris "
        "Navarro Newman Nielsen Novak Olsen Ortega Palmer Parsons Pearson Petrov Porter Quinn Ramsey Reyes Ricci Rossi "
        "Rowland Santos Sawyer Schneider Shaw Silva Sorensen Sutton Tanner Thornton Turner Vargas Wagner Walsh Weaver "
        "Whitaker Winters Yates Zimmerman"
    ),
    "cyrillic": listed(
        "Иванов Кузнецов Соколов Морозов Волков Лебедев Козлов Новиков Орлов Макаров Зайцев Фролов Тарасов Белов"
    ),
    "han": listed(
        "史密斯 约翰逊 威尔逊 安德森 汤普森 贝克 卡特 罗伯茨 菲利普斯 帕克 柯林斯 斯图尔特 莫里斯 库珀 霍华德"
    ),
    "kana": listed(
        "スミス ジョンソン ウィルソン アンダーソン トンプソン ベイカー カーター ロバーツ フィリップス "
        "パーカー コリンズ クーパー ハワード"
    ),
}


def gender_of(given: str, script: str) -> str | None:
    """``female`` or ``male`` where the given name is in one of the lists."""
    if given in FEMALE[script]:
        return "female"
    return "male" if given in MALE[script] else None
