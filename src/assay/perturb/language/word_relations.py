"""Words whose relations hold in almost any news sentence: ours, chosen so that the commonest sense is the one meant.

WordNet knows every sense of a word and not which one a sentence means; rules that exchange a word take it from here where they
must be sure, and from WordNet with a lower confidence.
"""

from __future__ import annotations

from assay.perturb.demetr.rules import listed
from assay.perturb.language.sentence import Sentence

_CLASSES = {
    "vehicle": "car truck van lorry taxi minibus | bus motorcycle tractor ambulance",
    "animal": "bull puppy | dog cat horse cow elephant lion tiger monkey bear wolf goat camel giraffe rabbit fox deer",
    "relative": "mother father brother sister son daughter mum dad grandson | uncle aunt cousin nephew niece grandmother",
    "weapon": "gun rifle pistol grenade missile bomb handgun shotgun revolver | knife sword",
    "fruit": "| apple banana pear cherry strawberry peach lemon mango",
    "vegetable": "| potato tomato carrot onion cucumber cabbage",
    "politician": "senator lawmaker congressman councillor congresswoman legislator | mayor chancellor",
    "player": "| goalkeeper midfielder quarterback",
    "crime": "robbery theft rape fraud burglary manslaughter extortion murder | arson kidnapping bribery perjury",
    "disease": "cancer diabetes pneumonia leukemia influenza hepatitis | malaria tuberculosis measles cholera",
    "sport": "football basketball rugby baseball hockey soccer | tennis golf cricket volleyball badminton",
    "meal": "dinner supper | breakfast lunch",
    "instrument": "| guitar piano violin trumpet cello saxophone",
    "boat": "yacht trawler | canoe ferry",
    "disaster": "tsunami hurricane flood typhoon tornado | earthquake avalanche drought",
    "room": "| kitchen bedroom bathroom",
    "garment": "jacket sweater blouse | shirt skirt dress",
    "device": "phone laptop smartphone computer telephone | camera printer",
    "doctor": "surgeon cardiologist pediatrician oncologist | dentist psychiatrist",
    "scientist": "| physicist biologist geologist",
    "musician": "guitarist | pianist violinist drummer",
    "artist": "| painter sculptor",
    "criminal": "robber thief | smuggler kidnapper burglar",
    "child": "toddler | boy girl",
    "athlete": "| boxer sprinter gymnast",
    "building": "cathedral hotel skyscraper synagogue | castle mosque warehouse",
    "shop": "supermarket bookstore | bakery pharmacy",
    "publication": "magazine newspaper | book",
    "bird": "| eagle owl pigeon sparrow parrot duck swan",
    "fish": "shark | salmon tuna",
    "insect": "| mosquito butterfly beetle wasp",
    "tree": "| oak birch willow",
    "fuel": "petrol gasoline | diesel kerosene",
    "lawyer": "barrister | solicitor prosecutor",
    "monarch": "| king queen",
    "journalist": "reporter correspondent columnist |",
    "academic": "professor lecturer |",
    "performer": "actor actress | comedian dancer magician",
    "writer": "| novelist poet playwright",
    "facility": "| stadium prison airport museum",
    "competition": "tournament |",
    "leader": "president |",
    "official": "diplomat ambassador inspector |",
    "worker": "plumber carpenter miner | electrician bricklayer welder",
    "soldier": "paratrooper infantryman |",
    "document": "passport certificate invoice |",
    "expense": "rent tuition |",
    "injury": "fracture concussion | burn bruise",
    "container": "| bottle bucket suitcase",
    "opponent": "rival adversary |",
    "dwelling": "apartment bungalow cottage |",
}
"""Class, its members, and behind the bar those members that no reader would take for another one."""

CLASS_OF: dict[str, str] = {}
DISTRACTORS: dict[str, tuple[str, ...]] = {}
for _general, _members in _CLASSES.items():
    _alike, _, _distinct = _members.partition("|")
    for _member in (*_alike.split(), *_distinct.split()):
        CLASS_OF.setdefault(_member, _general)
        DISTRACTORS.setdefault(_member, tuple(other for other in _distinct.split() if other != _member))
"""Noun to the class that it belongs to, and to members of the class that are surely something else."""

UNCOUNTED = frozenset(listed("sport disease crime"))
"""Classes whose noun can stand without an article, as its members do."""

_VERBS = (
    "buy purchase sell, begin start end, permit allow forbid, hate detest love, adore love hate, "
    "reject dismiss accept, forbid prohibit allow, prohibit ban allow, ban forbid allow, "
    "reveal disclose conceal, disclose reveal conceal, "
    "oppose resist support, praise commend criticize, criticize condemn praise, criticise condemn praise, "
    "condemn denounce praise, denounce condemn praise, strengthen reinforce weaken, weaken undermine strengthen, "
    "destroy demolish build, demolish destroy build, repair fix damage, "
    "increase boost reduce, reduce decrease increase, decrease reduce increase, boost increase reduce, "
    "widen broaden narrow, expand enlarge shrink, shorten cut lengthen, "
    "encourage urge discourage, discourage deter encourage, deter discourage encourage, "
    "forget overlook remember, ignore disregard heed, obey follow defy, defy disobey obey, "
    "detain arrest release, arrest detain release, imprison jail free, jail imprison free, "
    "protect shield endanger, endanger imperil protect, "
    "hire recruit dismiss, recruit hire dismiss, "
    "sack dismiss hire, "
    "deny dispute confirm, verify confirm refute, refute disprove prove, "
    "divide split unite, separate divide unite, "
    "worsen aggravate improve, improve enhance worsen, enhance improve worsen, "
    "postpone delay hasten, delay postpone hasten, accelerate hasten slow, "
    "deteriorate worsen improve, vanish disappear appear, disappear vanish appear, "
    "succeed prevail fail, surrender capitulate resist, "
    "terrify frighten reassure, frighten scare reassure, reassure comfort frighten, "
    "admire respect despise, despise loathe admire, loathe hate love, "
    "mock ridicule praise, ridicule mock praise, "
    "loosen relax tighten, "
    "demote downgrade promote, prevent avert cause, avert prevent cause, "
    ""
    ""
    "insult offend praise, offend insult flatter, "
    ""
    "waste squander save, squander waste save, "
    "agree concur disagree, ascend climb descend, descend drop ascend, "
    "laugh chuckle cry, weep cry laugh, cry weep laugh, whisper murmur shout, shout yell whisper, yell shout whisper, "
    "abolish eliminate establish, construct build demolish, "
    "approve endorse reject, endorse support oppose, marry wed divorce, "
    "deepen intensify lessen, intensify heighten lessen, lessen diminish intensify, "
    "tighten strengthen loosen, cease stop continue, "
    "enlarge expand shrink, shrink contract expand, rebuke reprimand praise, "
    "purchase buy sell, "
    "relieve ease aggravate, legalize permit ban, legalise permit ban, outlaw ban legalize, "
    "commence begin end, conclude finish begin, "
    "require need preclude"
)
SYNONYM_ANTONYM: dict[str, tuple[str, str]] = {}
for _entry in _VERBS.split(", "):
    _verb, _synonym, _antonym = _entry.split()
    SYNONYM_ANTONYM.setdefault(_verb, (_synonym, _antonym))
"""Verb to a synonym and an opposite that both take the same object."""

_ENTAILED = (
    "murder kill rescue, assassinate kill protect, strangle kill rescue, behead kill rescue, "
    "poison harm cure, stab injure heal, punch hit hug, slap hit hug, "
    "whisper say shout, murmur say shout, shout say whisper, scream shout whisper, "
    "stroll walk run, sprint run crawl, jog run crawl, limp walk run, "
    "purchase acquire sell, buy acquire sell, inherit receive bequeath, "
    "steal take return, embezzle steal return, snatch grab release, "
    "devour eat cook, gulp drink spill, sip drink spill, "
    "snore sleep wake, sob cry laugh, weep cry laugh, giggle laugh cry, "
    "elect choose reject, handpick choose reject, "
    "arrest detain release, imprison confine free, jail detain free, kidnap abduct release, "
    "demolish destroy build, incinerate burn freeze, shatter break mend, smash break mend, "
    "bomb attack defend, invade attack defend, ambush attack defend, assault attack defend, "
    "drive travel stay, cycle travel stay, sail travel stay, hike walk drive, "
    "interview question ignore, interrogate question ignore, "
    "scribble write erase, tweet write delete, co-write write erase, "
    "glimpse see miss, witness see miss, glance look listen, stare look listen, "
    "overhear hear miss, eavesdrop listen talk, "
    "donate give withhold, bequeath leave withhold, "
    "import obtain export, export sell import, smuggle transport confiscate, "
    "evict remove admit, expel remove admit, deport expel admit, exile expel admit, oust remove install, "
    "dismiss remove appoint, sack remove appoint, "
    "soar rise fall, skyrocket rise fall, surge rise fall, plummet fall rise, plunge fall rise, slump fall rise, "
    "tumble fall rise, climb rise fall, jump rise fall, "
    "halve reduce increase, double increase reduce, triple increase reduce, quadruple increase reduce, "
    "allege claim deny, insist claim deny, boast claim deny, confess admit deny, "
    "renovate improve neglect, refurbish improve neglect, repaint paint strip, "
    "outscore beat trail, "
    "trudge walk run, hurl throw catch, fling throw catch, toss throw catch, "
    "fry cook freeze, roast cook freeze, bake cook freeze, "
    "phone contact avoid, telephone contact avoid, email contact avoid, "
    "scrutinize examine ignore, scrutinise examine ignore, inspect examine ignore, "
    "terrify frighten reassure, outrage anger please, infuriate anger please, enrage anger please, delight please anger, "
    "thrill please bore, "
    "wed marry divorce, massacre kill rescue, slaughter kill rescue, "
    "televise broadcast censor, "
    "videotape record erase, "
    "manufacture make destroy, construct build demolish, "
    "kill harm rescue, wound harm heal, injure harm heal, indict accuse acquit, hospitalize treat neglect, "
    "hospitalise treat neglect, rape attack protect, watch see miss, hug touch push, kiss touch push, "
    "destroy damage repair, ruin damage repair, wreck damage repair, obliterate damage repair, "
    "rebuild build demolish, reopen open close, relaunch launch cancel, resell sell buy, "
    "overthrow remove install, topple remove install, rescue help harm, "
    "outlaw forbid allow, resign leave stay, flee leave enter, "
    "acquit clear convict, exonerate clear convict, vilify criticize praise, slam criticize praise, "
    "lambast criticize praise, blast criticize praise, berate criticize praise, scold criticize praise, "
    "applaud praise criticize, hail praise criticize, laud praise criticize, "
    "co-found found dissolve, initiate start end, commence begin end, "
    "befriend meet avoid, greet meet avoid, confront face avoid, "
    "clobber hit hug, thump hit hug, batter hit hug, "
    "scrap cancel keep, axe cancel keep, revoke cancel grant, repeal cancel enact"
)
INTRANSITIVE = frozenset(
    listed(
        "soar skyrocket surge plummet plunge slump tumble climb jump drive cycle sail hike stroll march sprint jog limp "
        "trudge snore sob weep giggle cry laugh drown starve bolt escape glance stare eavesdrop shout yell scream whisper murmur "
        "deteriorate vanish disappear succeed surrender ascend descend agree resign"
    )
)
"""Verbs of the lists that are meant without an object; all others need one, or stand in the passive."""
CLAUSAL = frozenset(listed("allege insist boast confess reveal disclose"))
"""Verbs of the lists that must have a clause for an object."""

ENTAILED: dict[str, tuple[str, str]] = {}
for _entry in _ENTAILED.split(", "):
    _verb, _entailed, _wrong = _entry.split()
    ENTAILED.setdefault(_verb, (_entailed, _wrong))
"""Verb to a verb that it entails, and one that it excludes; both take the same object."""

_KINDS = frozenset(listed("animal bird fish insect tree fruit vegetable"))
"""Classes of living things, which often have a name of two words."""
_FREE = frozenset(listed("in on at by after before during since until near outside inside over while"))
"""Prepositions that follow any verb and depend on none."""


def fits_verb(sentence: Sentence, i: int) -> bool:
    """True where a verb of the lists stands as it is meant there: with an object (or in the passive), or without one."""
    if sentence.pos[i] != "VERB" or sentence.deps[i] in ("amod", "acl", "compound"):
        return False
    lemma = sentence.lemmas[i].lower()
    deps = {sentence.deps[child] for child in sentence.children[i]}
    if deps & {"prt", "xcomp", "dative", "oprd", "acomp", "attr"}:
        return False
    if (
        lemma in ("prevent", "avert", "deter", "discourage", "prohibit", "ban", "shield")
        and "from" in sentence.lower[i:]
    ):
        return False
    if any(sentence.deps[child] == "prep" and sentence.lower[child] not in _FREE for child in sentence.children[i]):
        return False
    if "ccomp" in deps:
        return lemma in CLAUSAL and not sentence.child(i, "dobj", "nsubjpass")
    if lemma in CLAUSAL or not _object_fits(sentence, i, lemma) or _torn(sentence, i):
        return False
    takes = bool(deps & {"dobj", "nsubjpass"})
    return not takes and "nsubj" in deps if lemma in INTRANSITIVE else takes


def _torn(sentence: Sentence, i: int) -> bool:
    """True where a form may be past or participle, and the parse does not say which by an auxiliary."""
    return sentence.tags[i] == "VBN" and sentence.child(i, "aux", "auxpass") is None


def _object_fits(sentence: Sentence, i: int, lemma: str) -> bool:
    """False for *the keeper denied Jones*: what is denied is no person."""
    if lemma not in ("deny", "dispute"):
        return True
    thing = sentence.child(i, "dobj", "nsubjpass")
    return thing is not None and sentence.named[thing] == "" and sentence.tags[thing] in ("NN", "NNS")


def fits_noun(sentence: Sentence, i: int) -> bool:
    """True where the class of a noun can stand in its place: counted, or of a class that needs no article."""
    lemma = sentence.lemmas[i].lower()
    general = CLASS_OF.get(lemma)
    if (i and sentence.lower[i - 1] == "golden") or (sentence.child(i, "amod") is not None and general == "disease"):
        return False
    if lemma == "horse" and sentence.child(i, "poss") is not None:
        return False  # hold your horses
    if general in _KINDS and i and sentence.pos[i - 1] not in ("DET", "ADP", "NUM", "PUNCT", "CCONJ", "VERB", "PRON"):
        return False  # bald eagle, spider monkey
    if general in _KINDS and i and sentence.tags[i - 1] in ("VBN", "VBG"):
        return False  # great horned owl
    if lemma == "boy" and sentence.tags[i] == "NNS" and sentence.child(i, "amod") is None:
        return False  # one of the boys
    owned = sentence.child(i, "poss") is not None
    if (general == "relative" and not owned) or (general == "player" and sentence.child(i, "prep", "poss") is not None):
        return False
    if (general == "disease" and sentence.tags[i] == "NNS") or (
        general == "disaster" and sentence.child(i, "prep") is not None
    ):
        return False
    if general == "sport":
        apart = sentence.child(i, "det", "amod", "poss") is None and sentence.pos[i + 1 : i + 2] not in (
            ["NOUN"],
            ["PROPN"],
        )
        return sentence.tags[i] == "NN" and apart  # neither a baseball nor rugby sevens
    if sentence.tags[i] == "NNS" or CLASS_OF.get(sentence.lemmas[i].lower()) in UNCOUNTED:
        return sentence.child(i, "prep") is None or sentence.tags[i] == "NNS"
    return sentence.child(i, "det", "poss", "nummod") is not None
