"""Deals the shoes of the rules' examples, in the notation of `sabot.domain.audit.example_notation`.

Tests may also write ``without KEY`` to remove a key from the pack.
"""

import hashlib
import json
import re

import msgspec

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import parse_card
from sabot.infrastructure.rule_packs import pack_text
from tests.support import tableaux_coups
from tests.support.coup_notation import Felt, loaded
from tests.support.own_hand_coups import deal as play_hands
from tests.support.own_hand_coups import finish

SALT = "ab" * 16


def deal(text: str) -> Shoe:
    """Deal an example."""
    lines = text.splitlines()
    heads = [line for line in lines if line.startswith(("load ", "seats ", "with ", "without "))]
    example = _Example(_loaded(heads))
    if "bare" not in lines:
        example.ready()
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "told":
            example.told(*rest.split(" ", 4))
        elif line not in heads and line != "bare":
            example.step(word, rest.strip())
    return example.shoe


def _loaded(heads: list[str]) -> ev.ShoeLoaded:
    load = next((line[5:] for line in heads if line.startswith("load ")), "classic-8")
    if load.startswith('"'):
        return ev.ShoeLoaded(8, load.strip('"'), pack_sha256(load.strip('"')))
    words, brace, more = load.partition("{")
    name, *decks = words.split()
    text = pack_text(name)
    for line in heads:
        if line.startswith("with "):
            text = with_key(text, line[5:])
        elif line.startswith("without "):
            text = without_key(text, line[8:])
    first = loaded(text, int(decks[0]) if decks else None)
    fields = json.loads(brace + more) if brace else {}
    for line in heads:
        if line.startswith("seats "):
            seated = enumerate(line.split()[1:], start=1)
            fields["seats"] = [{"seat": seat, "patron": patron} for seat, patron in seated]
    return msgspec.convert({**msgspec.to_builtins(first), **fields}, ev.ShoeLoaded)


class _Example(Felt):
    def __init__(self, first: ev.ShoeLoaded) -> None:
        self.payloads, self.shoe = [], Shoe("shoe/test")
        self.put(first)

    def step(self, word: str, rest: str) -> None:  # noqa: C901, PLR0912 - a case a word
        felt = self
        match word:
            case "ready":
                felt.ready(rest or "Ac")
            case "coup":
                felt.coup(rest)
            case "bank":
                who, amount = rest.split()
                felt.bank(who, int(amount))
            case "free":
                felt.coup(rest, free=True)
            case "banks":
                who, amount = rest.split()
                felt.put(
                    ev.ShoeOffered(who), ev.ShoeTaken(who), bank_ev.BankPosted(who, int(amount))
                )
            case "hands":
                finish(play_hands(felt, rest))
            case (
                "tableaux-seats" | "tableaux-bank" | "tableaux" | "tableaux-open" | "tableaux-hands"
            ):
                _tableaux(felt, word, rest)
            case "deal":
                felt.cards(rest)
            case "due":
                while felt.shoe.current is not None:
                    due = next_action(felt.shoe)
                    assert due.payload is not None, due
                    felt.put(due.payload)
            case "burned":
                felt.put(*[ev.CardBurned() for _ in range(int(rest))])
            case "committed":
                order = tuple(map(parse_card, rest.split()))
                text = f"{SALT}\n{' '.join(order)}"
                felt.put(ev.OrderCommitted(hashlib.sha256(text.encode()).hexdigest(), len(order)))
            case "opened":
                felt.put(ev.OrderOpened(SALT, tuple(map(parse_card, rest.split()))))
            case _:
                fields = json.loads(rest or "{}")
                felt.put(msgspec.convert({"type": word, **fields}, ev.ShoeEvent))  # type: ignore[arg-type]

    def told(self, device: str, seconds: str, seq: str, name: str, fields: str) -> None:
        payload = msgspec.convert({"type": name, **json.loads(fields)}, ev.ShoeEvent)  # type: ignore[arg-type]
        self.tell(device, 1000 * int(seconds), payload, seq=int(seq))


def _tableaux(felt: Felt, word: str, rest: str) -> None:
    """Do a step of the game with two tableaux."""
    if word in ("tableaux-seats", "tableaux-bank") and not felt.shoe.seats:
        felt.put(*(ev.PatronSeated(seat.seat, seat.patron) for seat in tableaux_coups.SEATS))
    match word:
        case "tableaux-bank":
            who, amount = rest.split()
            tableaux_coups.bank(felt, who, int(amount))
        case "tableaux":
            tableaux_coups.play(felt, rest)
        case "tableaux-open":
            tableaux_coups.opened(felt, rest)
        case "tableaux-hands":
            tableaux_coups.deal(felt, rest, at_once=False)


def with_key(text: str, said: str) -> str:
    """Put a key into its section of a pack's text."""
    path, _, value = said.partition(" = ")
    section, dot, key = path.rpartition(".")
    if not dot:
        return f"{key} = {value}\n{text}"
    head = f"[{section}]\n"
    if head not in text:
        return f"{text}\n{head}{key} = {value}\n"
    before, _, after = text.partition(head)
    body, bracket, rest = after.partition("\n[")
    body = re.sub(rf"(?m)^{re.escape(key)} = .*$\n?", "", body)
    return f"{before}{head}{key} = {value}\n{body}{bracket}{rest}"


def without_key(text: str, path: str) -> str:
    """Remove a key from its section of a pack's text."""
    section, _, key = path.rpartition(".")
    before, head, after = text.partition(f"[{section}]\n") if section else ("", "", text)
    return f"{before}{head}" + re.sub(rf"(?m)^{re.escape(key)} = .*$\n?", "", after, count=1)
