"""Phrases that may follow a finished sentence and that no source has unasked: ours, in two lists for each language.

A phrase of the first list stands alone, or with one of the second list behind it.
"""

from __future__ import annotations

_PHRASES: dict[str, tuple[str, str, str, str]] = {
    "en": (
        " ",
        " ",
        "for the first time in years; despite many warnings; with great reluctance; without any explanation; to everyone's "
        "surprise; against the advice of experts; for purely financial reasons; at the last moment; after long hesitation; "
        "under pressure from the neighbours; with the help of volunteers; because of a misunderstanding",
        "in front of a large crowd; on a rainy morning; in the middle of the night; during the holidays; before sunrise; "
        "in the presence of journalists; over the weekend; behind closed doors",
    ),
    "de": (
        ", ",
        " ",
        "zum ersten Mal seit Jahren; trotz vieler Warnungen; nach langem Zögern; ohne jede Erklärung; zur Überraschung aller; "
        "gegen den Rat von Fachleuten; aus rein finanziellen Gründen; auf Drängen der Nachbarn; mit Hilfe von Freiwilligen; "
        "wegen eines Missverständnisses",
        "vor einer großen Menge; an einem regnerischen Morgen; mitten in der Nacht; während der Ferien; vor Sonnenaufgang; in "
        "Anwesenheit von Journalisten; am Wochenende; hinter verschlossenen Türen",
    ),
    "fr": (
        ", ",
        " ",
        "pour la première fois depuis des années; malgré de nombreux avertissements; après une longue hésitation; sans aucune "
        "explication; à la surprise générale; contre l'avis des experts; pour des raisons purement financières; sous la "
        "pression des voisins; avec l'aide de bénévoles; à cause d'un malentendu",
        "devant une grande foule; par un matin pluvieux; au milieu de la nuit; pendant les vacances; avant le lever du soleil; "
        "en présence de journalistes; pendant le week-end; à huis clos",
    ),
    "es": (
        ", ",
        " ",
        "por primera vez en años; a pesar de muchas advertencias; después de mucho dudar; sin ninguna explicación; para sorpresa "
        "de todos; en contra del consejo de los expertos; por motivos puramente económicos; por presión de los vecinos; con la "
        "ayuda de voluntarios; debido a un malentendido",
        "ante una gran multitud; en una mañana lluviosa; en plena noche; durante las vacaciones; antes del amanecer; en presencia "
        "de periodistas; durante el fin de semana; a puerta cerrada",
    ),
    "it": (
        ", ",
        " ",
        "per la prima volta dopo anni; nonostante molti avvertimenti; dopo una lunga esitazione; senza alcuna spiegazione; con "
        "sorpresa di tutti; contro il parere degli esperti; per motivi puramente economici; su pressione dei vicini; con "
        "l'aiuto di volontari; a causa di un malinteso",
        "davanti a una grande folla; in una mattina piovosa; nel cuore della notte; durante le vacanze; prima dell'alba; in "
        "presenza di giornalisti; durante il fine settimana; a porte chiuse",
    ),
    "pt": (
        ", ",
        " ",
        "pela primeira vez em anos; apesar de muitos avisos; depois de muita hesitação; sem qualquer explicação; para surpresa de "
        "todos; contra o conselho dos especialistas; por motivos puramente financeiros; por pressão dos vizinhos; com a ajuda "
        "de voluntários; devido a um mal-entendido",
        "perante uma grande multidão; numa manhã chuvosa; no meio da noite; durante as férias; antes do amanhecer; na presença de "
        "jornalistas; durante o fim de semana; à porta fechada",
    ),
    "ru": (
        ", ",
        " ",
        "впервые за много лет; несмотря на многочисленные предупреждения; после долгих колебаний; без каких-либо объяснений; ко "
        "всеобщему удивлению; вопреки советам специалистов; по чисто финансовым причинам; под давлением соседей; с помощью "
        "добровольцев; из-за недоразумения",
        "на глазах у большой толпы; дождливым утром; посреди ночи; во время каникул; перед восходом солнца; в присутствии "
        "журналистов; в выходные; за закрытыми дверями",
    ),
    "pl": (
        ", ",
        " ",
        "po raz pierwszy od lat; pomimo wielu ostrzeżeń; po długim wahaniu; bez żadnego wyjaśnienia; ku zaskoczeniu wszystkich; "
        "wbrew radom ekspertów; z powodów czysto finansowych; pod naciskiem sąsiadów; z pomocą wolontariuszy; z powodu "
        "nieporozumienia",
        "na oczach wielkiego tłumu; w deszczowy poranek; w środku nocy; w czasie wakacji; przed wschodem słońca; w obecności "
        "dziennikarzy; w weekend; za zamkniętymi drzwiami",
    ),
    "zh": (
        "，",
        "，",
        "这是多年来的第一次; 尽管有许多警告; 而且没有任何解释; "
        "这让所有人都感到意外; 尽管专家曾表示反对; 这完全是出于经济原因; "
        "这是在邻居的压力下决定的; "
        "这得到了志愿者的帮助; 据说是因为一场误会; 这是经过长时间犹豫之后的决定",
        "当时有一大群人在场; 当天早上正下着雨; 时间是在深夜; 正值假期; "
        "当时太阳还没有升起; 有记者在场; 时间是在周末; 事先没有公开",
    ),
}

ADDED: dict[str, tuple[str, ...]] = {
    language: tuple(
        start + phrase
        for first in firsts.split("; ")
        for phrase in (first, *(first + gap + second for second in seconds.split("; ")))
    )
    for language, (start, gap, firsts, seconds) in _PHRASES.items()
}
"""Every phrase of a language, as it is written onto the end of a sentence."""
