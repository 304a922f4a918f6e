"""Names to put in the place of other names: invented people and organisations, real places; written for assay."""

from __future__ import annotations

from assay.perturb.demetr.rules import listed

FIRST_NAMES = listed(
    "Maria Thomas Elena Viktor Amira Daniel Sofia Henrik Leila Marco Ingrid Samuel Yuki Pavel Clara Omar Nina "
    "Lucas Hannah Mateo Olga Jonas Priya Andre Katarina Felix Nadia Oscar Teresa Ivan Mei Patrick Rosa Emil "
    "Fatima Hugo"
)
SURNAMES = listed(
    "Lindqvist Moreau Castellano Okafor Brandt Tanaka Novak Haddad Ferreira Kowalski Andersen Petrov Sharma "
    "Delgado Whitfield Rossi Yilmaz Bergmann Nakamura Oduya Salazar Vermeer Dimitrov Larkin Chaudhry Eriksen "
    "Marchetti Kovacs Abebe Thornton Weiss Zhang Ibarra Sokolov Pereira Hofmann"
)
COUNTRIES = listed(
    "Portugal, Norway, Vietnam, Canada, Kenya, Chile, Greece, Japan, Morocco, Austria, Peru, Thailand, "
    "Denmark, Poland, Egypt, Mexico, Finland, Nigeria, Hungary, Indonesia, Ireland, Colombia, Sweden, India, "
    "Turkey, Belgium, Argentina, Ukraine, Spain, Brazil, China, Russia, France, Germany, Italy, Iran, Iraq, "
    "Israel, Pakistan, Bulgaria, Romania, Serbia, Cuba, Haiti, South Korea, North Korea, Australia, "
    "Switzerland, Syria, Afghanistan, Libya, Estonia, Latvia, Lithuania, Slovakia, Slovenia, Croatia, Algeria, "
    "Tunisia, Ghana, Ethiopia, Bangladesh, Sri Lanka, Nepal, Mongolia, Malaysia, Singapore, New Zealand, "
    "Iceland, the United States, the United Kingdom, the Netherlands, the Philippines, the Czech Republic"
)
CITIES = listed(
    "Lisbon Oslo Hanoi Toronto Nairobi Valencia Athens Osaka Casablanca Vienna Lima Bangkok Copenhagen Gdansk "
    "Cairo Guadalajara Helsinki Lagos Budapest Jakarta Dublin Bogota Gothenburg Mumbai Izmir Antwerp Rosario "
    "Odessa Seville Porto Boston Chicago Hamburg Marseille Turin Kyoto Adelaide Montreal Denver Glasgow Krakow "
    "Geneva Santiago Manila Shanghai"
)
REGIONS = listed(
    "the Baltic Sea, the Sahara, the Andes, Patagonia, the Black Sea, Siberia, the Alps, Lapland, the "
    "Caribbean, the Atlantic Ocean, the Indian Ocean, Scandinavia, the Balkans, Central Asia, West Africa, "
    "South America, the Danube, the Nile, Crete, Tasmania"
)
ORGANISATIONS = listed(
    "Meridian Group, Nordwind, the Halcyon Institute, Aster Bank, Kestrel Media, the Ministry of Transport, "
    "Solaris Energy, Tavira, the Bureau of Statistics, Orbis, Pioneer Motors, Lumen, the Port Authority, "
    "Vantage Airlines, the Tax Office, Corvus, the National Archive, Borealis, Sterling Foods, the University "
    "of Tartu, Quanta, Harbour Press, the Court of Auditors, Delphi"
)
PEOPLES = listed(
    "Norwegian Portuguese Kenyan Chilean Greek Moroccan Austrian Peruvian Thai Danish Polish Egyptian Mexican "
    "Finnish Nigerian Hungarian Indonesian Irish Colombian Swedish Turkish Belgian Brazilian Canadian "
    "Vietnamese Japanese Italian French German Russian Chinese American British Spanish Dutch Indian Iranian "
    "Israeli Ukrainian Czech Argentine Australian"
)
COUNTRY_NAMES = frozenset(name.removeprefix("the ") for name in COUNTRIES) | frozenset(
    listed(
        "US, U.S., USA, UK, U.K., United States of America, Great Britain, Britain, England, Scotland, Wales, America"
    )
)
"""What counts as a country when it is met; abbreviations too."""
INSTITUTIONS = listed(
    "University Bank Ministry Institute Group Party Committee Council Court Union Association News Agency Company Corporation "
    "Commission Department Office Foundation Federation Parliament Senate Congress Inc Ltd Times Club Museum Service Center"
)
"""Words that show that a name is an organisation's."""
