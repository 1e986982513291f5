"""Ways to write an instant of the video into a sentence: {s} seconds, {m} minutes, {r} the rest in two digits; words have a w."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Final

from benchmarks.number_words import spell

__all__ = ["with_time"]

_ANY: Final = """[{mm}:{r}] {x}|({mm}:{r}) {x}|{mm}:{r} - {x}|{x} [{mm}:{r}]|{x} ({mm}:{r})|{x} ({m}:{r})|00:{mm}:{r} {x}|{x} 00:{mm}:{r},500|
{x} @{mm}:{r}|{x} t={s}s|{x} #t={s}|{x}?t={s}|[{s}s] {x}|{x} ({s}s)|{x} [{s} s]|{x} [{m}m{r}s]|{x} ({m}min{r})|{x} {m}'{r}"|{x} ({m}'{r})|{x} {m}′{r}″|
{x} [{mm}⁚{r}]|{x} {mm}：{r}|{mm}∶{r} {x}|{x} [{mm}.{r}]|{x} ({mm} : {r})|{x} (start={s})|{x} [ts: {s}]|{x} <{mm}:{r}>|{x} ⏱ {mm}:{r}|{x} [{mm}:{r}-{mm}:59]|
{x} [{mm}:{r}.000]|{x} (0:{mm}:{r})|{x} ({mm}h{r})"""
_IN: Final = {
    "pt": """No minuto {m}, {x}|{x} no segundo {s}|{x} aos {s} segundos|Aos {m} minutos e {r} segundos, {x}|{x} (seg. {s})|{x} no minuto nº {m}|
{x} por volta de {s}s|{x} por volta dos {s} segundos|{x} transcorridos {s} segundos|{x} no quadro {s}|{x} no frame {s}|{x} no {ow} segundo|
{x} no {ow} segundo do vídeo|{x} no instante {s}|{x} aos {sw} segundos|{x} no minuto {mw}|{x} no minuto {m} e {r}|{x} perto dos {s} segundos|
{x} a partir de {m} min {r} s|{x} aos {m}min{r}s|{x} em {m}:{r}|{x} após {s} segundos de vídeo|{x} {s} segundos depois do início|
{x} quando o vídeo chega a {s} segundos|{x} com {s} segundos de vídeo|{x} na marca de {s} segundos|{x} na marca dos {s}s|{x} segundo {s}|
Timestamp {mm}:{r}: {x}|{x} (minutagem {mm}:{r})|{x} entre os {s} e os {s2} segundos|{x} do segundo {s} ao {s2}|{x} no tempo {mm}:{r}|{x} (minuto {m})|
{x} passados {s} segundos|{x} decorridos {m} minutos e {r} segundos|{x} lá pelos {s} segundos|{x} pelo minuto {m}|{x} no min {m}|{x} (aos {s}s)|
{x} nos primeiros {s} segundos do vídeo|{x} faltando {s} segundos para o fim do vídeo|{x} aos {s} seg|{x} no seg {s}|{x} ali por {mm}:{r}""",
    "es": """En el minuto {m}, {x}|{x} en el segundo {s}|{x} a los {s} segundos|A los {m} minutos y {r} segundos, {x}|{x} (seg. {s})|{x} en el minuto nº {m}|
{x} alrededor de los {s} segundos|{x} transcurridos {s} segundos|{x} en el fotograma {s}|{x} en el {ow} segundo|{x} a los {sw} segundos|{x} en el minuto {mw}|
{x} cerca de los {s} segundos|{x} a partir de {m} min {r} s|{x} a los {m}min{r}s|{x} en {m}:{r}|{x} tras {s} segundos de vídeo|{x} {s} segundos después del inicio|
{x} cuando el vídeo llega a {s} segundos|{x} con {s} segundos de vídeo|{x} en la marca de {s} segundos|{x} segundo {s}|Minutaje {mm}:{r}: {x}|
{x} (minutaje {mm}:{r})|{x} entre los {s} y los {s2} segundos|{x} del segundo {s} al {s2}|{x} en el tiempo {mm}:{r}|{x} (minuto {m})|{x} pasados {s} segundos|
{x} hacia el minuto {m}|{x} sobre los {s} segundos|{x} por el minuto {m}|{x} en el min {m}|{x} (a los {s}s)|{x} en los primeros {s} segundos del vídeo|
{x} en el cuadro {s}|{x} a los {s} seg|{x} en el instante {s}|{x} a eso de los {s} segundos""",
    "en": """At minute {m}, {x}|{x} at second {s}|{x} at {s} seconds|At {m} minutes and {r} seconds, {x}|{x} (sec. {s})|{x} at minute no. {m}|
{x} around {s}s|{x} around the {s} second mark|{x} at the {s}-second mark|{x} after {s} seconds of video|{x} on frame {s}|{x} at frame {s}|{x} in the {o} second|
{x} {s} seconds in|{x} {m} minutes in|{x} {s} seconds into the video|{x} at {sw} seconds|{x} at minute {mw}|{x} from {mm}:{r} on|{x} at {m}m{r}s|
{x} at {m}:{r}|{x} {s} seconds after the start|{x} when the video reaches {s} seconds|{x} at the {m} minute mark|Timestamp {mm}:{r}: {x}|
{x} (timecode {mm}:{r})|{x} between {s} and {s2} seconds|{x} from second {s} to {s2}|{x} (minute {m})|{x} near the {s} second point|{x} by the {s}-second mark|
{x} about {s} seconds into the clip|{x} in the first {s} seconds of the video|{x} at around {m} min {r} sec|{x} {s} secs in|{x} at approximately {s} s|
{x} at time {mm}:{r}|{x} with {s} seconds left in the video|{x} {s} seconds from the start|{x} seconds {s}-{s2}""",
}
_ORDINALS_PT: Final = {20: "vigésimo", 30: "trigésimo", 40: "quadragésimo", 50: "quinquagésimo"}
_ORDINALS_ES: Final = {20: "vigésimo", 30: "trigésimo", 40: "cuadragésimo", 50: "quincuagésimo"}
_UNITS_PT: Final = ("", " primeiro", " segundo", " terceiro", " quarto", " quinto", " sexto", " sétimo", " oitavo", " nono")
_UNITS_ES: Final = ("", " primer", " segundo", " tercer", " cuarto", " quinto", " sexto", " séptimo", " octavo", " noveno")


def _templates(language: str) -> list[str]:
    return [template.strip() for template in f"{_ANY}|{_IN[language]}".split("|")]


def _ordinal(number: int, language: str) -> str:
    tens, names = (_ORDINALS_PT, _UNITS_PT) if language == "pt" else (_ORDINALS_ES, _UNITS_ES)
    return tens[number - number % 10] + names[number % 10]


def with_time(said: str, language: str, rng: Random) -> str:
    """`said` with an instant of the video in it."""
    minutes, rest = rng.randrange(1, 59), rng.randrange(1, 59)
    seconds = rng.randrange(20, 59) if rng.random() < 0.5 else rng.randrange(61, 1200)
    spoken = Fraction(rng.randrange(20, 59))
    template = _templates(language)[rng.randrange(len(_templates(language)))]
    shown = int(spoken) if "{ow}" in template else seconds
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(shown % 10 if shown % 100 not in (11, 12, 13) else 0, "th")
    return template.format(
        x=said,
        s=seconds,
        s2=seconds + 10,
        m=minutes,
        mm=f"{minutes:02d}",
        r=f"{rest:02d}",
        sw=spell(seconds, language),
        mw=spell(minutes, language),
        ow=_ordinal(int(spoken), language) if language != "en" else "",
        o=f"{shown}{suffix}",
    )
