"""The words that place a time in a video, in Portuguese, Spanish and English. Private to `instants`."""

from __future__ import annotations


def _words(listing: str) -> frozenset[str]:
    return frozenset(listing.split())


UNIT_SECONDS = {
    **dict.fromkeys(_words("segundo segundos second seconds seg sec instante instant"), 1),
    **dict.fromkeys(_words("minuto minutos minute minutes min"), 60),
    **dict.fromkeys(_words("hora horas hour hours"), 3600),
}
CLOCK_RULES = _words("clock hms")
POINTERS = _words("unit-first address mark ordinal stamp")
SINGULAR = _words("segundo second minuto minute")
CLEAR = _words("minuto minute")
PLURAL = _words("segundos seconds minutos minutes")
ONES = _words("um uno one")
FRAMES = _words("frame frames fotograma fotogramas quadro quadros cuadro cuadros")
TABLES = _words("quadro quadros cuadro cuadros")
"""Frames of a video, and tables and boards: of one digit, or "do quadro", they are the latter."""
SECONDS = _words("s seg segs sec secs segundo segundos second seconds")
ELAPSED = _words(
    "transcorridos transcorrido transcurridos transcurrido decorridos decorrido passados passado pasados pasado faltando faltam faltan"
)
REACHES = _words("chega chegar llega llegar llegue chegue reaches reach hits esta está va vai marca is")
ABOUT = _words("around about approximately approx circa")
HEDGES = ABOUT | _words("roughly exactly precisely aproximadamente exatamente exactamente precisamente")
"""Between the preposition and the time: "at approximately 21 s"."""
POSITION = _words(
    "os no na ao aos nos do dos em el al en del at from until ate desde hasta around by a los near hacia sobre entre between the on"
)
RATE = _words("por per cada each every")
CLOCK_WORDS = _words(": h hs hrs past to para half quarter menos meia media meio cuarto am pm")
RATIOS = _words("proporcao razao escala ratio ratios scale proporcion proporciones aspect aspecto placar score marcador diluicao")
ADDRESS = _words("t ts start time timestamp begin seek")
TIMESTAMPS = _words("timestamp timecode minutagem timestamps")
DURATION = _words("por durante for leva levam takes take took tarda tardan dura duram duran lasts duracao duracion duration total demora")
VIDEO = _words(
    """video videos clip clips clipe clipes gravacao grabacion recording footage film filme filmagem pelicula transmissao stream audio
    episode episodio talk lecture presentation apresentacao presentacion palestra playback tutorial reproducao reproduccion"""
)
EDGES = _words("inicio comeco comienzo principio start beginning fim final fin end")
PEOPLE = _words("speaker presenter host narrator chef instructor teacher man woman person video clip screen title text slide camera")
PRONOUNS = _words("he she it they we you i there one someone")
MARKS = _words("mark marker point")
LINKS = _words(
    """iniciais finais iniciales finales de do da del of into in no na en dentro from to antes before after desde depois despues left
    remaining para"""
)
ARTICLES = _words("o a os as el la los las the this esta este")
NOUN_OF = _words("de do da dos das del of")
DURATION_NOUNS = _words("tempo tiempo time duracao duracion duration total")
BEFORE = _words("apos de aos com con tras despues after at with passados transcorridos decorridos los dos nos em en in a ao depois")
FIRSTS = _words("primeiros primeiras primeros primeras first")
SHORT = {
    **dict.fromkeys(_words("h hr hrs hs hora horas hour hours"), "h"),
    **dict.fromkeys(_words("m min mins"), "m"),
    **dict.fromkeys(_words("s seg segs sec secs"), "s"),
}
RANK = {"h": 3, "m": 2, "s": 1}
NEXT = {"h": "m", "m": "s", "s": "s"}
SIZE = {"h": 3600, "m": 60, "s": 1}
