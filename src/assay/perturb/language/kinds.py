"""Nouns and kinds of them that are surely more special: ours, for the sense that news and encyclopaedias mean.

WordNet's list of kinds starts from a sense that has to be guessed; these words have one sense that is nearly always meant, and
each kind is a noun that is counted as they are.
"""

from __future__ import annotations

from assay.perturb.demetr.rules import listed
from assay.perturb.language.sentence import Sentence
from assay.perturb.language.word_relations import CLASS_OF, fits_noun

_KINDS = """
car: convertible limousine hatchback
bus: minibus
dog: poodle terrier labrador
cat: kitten
horse: stallion pony
bear: grizzly
monkey: baboon
deer: reindeer
shark: hammerhead
snake: python cobra viper
tree: oak birch pine
flower: rose tulip daisy
bird: sparrow pigeon eagle
insect: beetle wasp
vehicle: tractor motorcycle truck
ship: ferry tanker trawler
airplane: biplane
weapon: rifle knife pistol
rifle: carbine
knife: dagger penknife
vegetable: carrot cabbage onion
doctor: surgeon dentist cardiologist
surgeon: neurosurgeon
physician: cardiologist pediatrician
nurse: midwife
lawyer: barrister
scientist: physicist chemist biologist
musician: pianist drummer violinist
guitarist: bassist
singer: soprano tenor
dancer: ballerina
artist: painter sculptor
writer: novelist poet playwright
athlete: sprinter gymnast swimmer
politician: senator mayor
lawmaker: senator
journalist: columnist
soldier: sniper paratrooper
criminal: burglar smuggler
thief: pickpocket
employee: receptionist clerk
student: undergraduate
priest: vicar
farmer: rancher
hotel: motel
house: cottage villa bungalow
shop: bakery bookshop pharmacy
store: bakery bookstore pharmacy
supermarket: hypermarket
restaurant: pizzeria steakhouse
factory: refinery brewery sawmill
farm: ranch vineyard
village: hamlet
storm: thunderstorm blizzard hurricane
book: textbook cookbook
film: comedy thriller documentary
movie: comedy thriller documentary
song: ballad lullaby
newspaper: tabloid
phone: smartphone
computer: laptop
laptop: netbook
camera: webcam
bag: backpack handbag
shoe: sandal boot
hat: beret
jacket: parka blazer
dress: gown
injury: fracture bruise concussion
loan: mortgage
painting: watercolor portrait
photograph: selfie portrait
sculpture: bust
room: bedroom kitchen bathroom
bridge: drawbridge
finger: thumb
bone: rib
poem: sonnet limerick
speech: sermon lecture
""".strip()

KINDS: dict[str, tuple[str, ...]] = {}
for _line in _KINDS.splitlines():
    _noun, _, _special = _line.partition(": ")
    KINDS[_noun] = tuple(_special.split())
"""Noun to kinds of it."""


_PLAIN = frozenset(
    listed(
        "new old young big small large many few several local first second third next last same own good bad best great little "
        "major famous beautiful expensive cheap whole entire early late recent"
    )
)
"""Adjectives that go with any kind of thing; another may speak of a kind that is not ours (*cardiovascular surgeons*)."""


def fits_kind(sentence: Sentence, i: int) -> bool:
    """True where a kind of the noun can stand in its place: counted, not described, told apart or part of a set phrase."""
    if sentence.lemmas[i].lower() in CLASS_OF and not fits_noun(sentence, i):
        return False
    if sentence.words[i][:1].isupper() or sentence.deps[i] in ("attr", "appos", "oprd"):
        return False
    head = sentence.heads[i]
    if sentence.deps[i].startswith("nsubj") and sentence.child(head, "attr") is not None:
        return False  # the birds of the lake are swans
    if any(
        sentence.lower[child] not in _PLAIN
        for child in sentence.children[i]
        if sentence.deps[child] in ("amod", "nmod")
    ):
        return False
    if any(sentence.lower[child] in ("of", "like", "as") for child in sentence.children[i]):
        return False
    if sentence.lemmas[i].lower() == "phone" and sentence.lower[head] in ("on", "over", "by"):
        return False  # on the phone
    return sentence.tags[i] == "NNS" or sentence.child(i, "det", "poss", "nummod") is not None


_OTHER_SENSES = frozenset(listed("strength weakness opponent supporter"))
"""Of an army's strength and of an opponent in a match the opposite is another one."""


def fits_opposite(sentence: Sentence, i: int) -> bool:
    """True where a noun of the opposites stands as it is meant there: *failure to act*, *enemy planes* and *Winter* do not."""
    lemma, children = sentence.lemmas[i].lower(), sentence.children[i]
    if lemma == "absence" and sentence.lower[i - 2 : i] == ["leave", "of"]:
        return False
    if lemma in _OTHER_SENSES or sentence.pos[i + 1 : i + 2] in (["NOUN"], ["PROPN"]):
        return False
    if lemma in ("failure", "success") and any(sentence.deps[child] in ("amod", "acl", "xcomp") for child in children):
        return False
    if lemma in ("victory", "defeat") and any(sentence.lower[child] in _OF_ONE_SIDE for child in children):
        return False
    if any(sentence.lower[child] == "natural" for child in children):
        return False
    capital = sentence.words[i][:1].isupper()
    return not capital or (i in sentence.firsts and sentence.tags[i] == "NNS")


_OF_ONE_SIDE = ("over", "against", "to", "by")
