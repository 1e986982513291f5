"""Two steps told in an order, in three languages: as they stand, and the other way round."""

from __future__ import annotations

from typing import Final

__all__ = ["swapped_orders", "told_orders"]

_FORMS: Final = {
    "pt": ("Primeiro {a}, depois {b}", "Primeiro {a} e em seguida {b}", "{A}, depois {b}", "Antes de tudo {a}; só então {b}", 
           "1. {a} 2. {b}", "Depois que {a}, {b}", "Comece assim: {a}. Em seguida, {b}"),
    "es": ("Primero {a}, después {b}", "Primero {a} y luego {b}", "{A}, luego {b}", "Antes que nada {a}; después {b}", "1. {a} 2. {b}",
           "Empiece así: {a}. A continuación, {b}"),
    "en": ("First {a}, then {b}", "First {a} and after that {b}", "{A}, then {b}", "Before you {b}, {a}", "After you {a}, {b}",
           "{A} before you {b}", "{B} after you {a}", "1. {a} 2. {b}"),
}  # fmt: skip


def told_orders(first: str, second: str, language: str) -> list[str]:
    """Sentences that tell the two steps in this order."""
    capital = {"A": first[:1].upper() + first[1:], "B": second[:1].upper() + second[1:]}
    return [form.format(a=first, b=second, **capital) for form in _FORMS[language]]


def swapped_orders(first: str, second: str, language: str) -> list[str]:
    """Sentences that tell them the other way round."""
    return told_orders(second, first, language)
