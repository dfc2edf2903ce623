"""Write the evidence of one shoe as a zip file that can be verified without a database.

It holds the events with a proof each, the signed checkpoint and the public key. For readers it also
holds the rule pack, the audit and a page to print. The same log and program give the same bytes.
"""

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Final

import msgspec

from sabot.domain.events.envelope import first_of
from sabot.domain.events.shoe import ShoeLoaded
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.audits.audit_run import SHOE_PREFIX, audit_log, provenance
from sabot.infrastructure.audits.finding_states import add_states
from sabot.infrastructure.evidence.bundles import (
    AUDIT_FILE,
    EVENTS_FILE,
    LIST_FILE,
    PACK_FILE,
    PAGE_FILE,
    README_FILE,
    list_text,
    proof_file,
)
from sabot.infrastructure.evidence.checkpoint_table import stored_keys
from sabot.infrastructure.evidence.publishing import event_tree, newest_of
from sabot.infrastructure.evidence.signing_keys import load_key
from sabot.infrastructure.evidence.tiles import CHECKPOINT_FILE, KEY_FILE
from sabot.infrastructure.exports.audit_page import audit_page
from sabot.infrastructure.exports.event_lines import export_lines
from sabot.infrastructure.exports.html_page import Show
from sabot.infrastructure.files.whole_file import write_whole
from sabot.infrastructure.log.event_log import EventLog

_FIRST_DAY: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file knows, so that the same content gives the same bytes."""

_README: Final = """\
Evidence of {stream}, from the log {origin}.

{events_file}      the events, a line each, as `sabot export` writes them (RFC 8785)
proofs/        the proof that an event is in the log, one file for each index
               (https://c2sp.org/tlog-proof)
checkpoint     the log's size and Merkle tree root, signed (https://c2sp.org/tlog-checkpoint)
verifier-key   the log's public key; compare it with the one that you were given
signed-list    the SHA-256 of each file but the proofs, signed by the same key
               (https://c2sp.org/signed-note): a bundle that was cut does not fit it
rule-pack.toml, audit.json, findings.html
               for reading: they follow from the events

To verify: sabot verify THIS-FILE.zip --key KEY
Any verifier of C2SP proofs can do it too: the leaf of an event is the SHA-256 of a zero byte and
its line without the newline. (An isolated event has its payload as text here, and so has an event
whose payload is not canonical JSON; the leaf has the payload as it is stored.)
"""


class _Place(msgspec.Struct):
    index: int


def write_bundle(log: EventLog, shoe: str, place: Path, show: Show, *, replace: bool) -> None:
    """Write the bundle of a shoe.

    Cost: all events of the log are hashed, for the proofs.

    Args:
        log: the log.
        shoe: the shoe's name.
        place: the zip file. It appears only when it is complete.
        show: makes text of a record safe to display.
        replace: whether a file at the place may be replaced.

    Raises:
        BadInput: this machine does not have the log's signing key.
        NotFound: there is no such shoe, or no checkpoint covers its events.
        UntrustedLog: the log differs from its checkpoint.
    """
    stream = SHOE_PREFIX + shoe
    key = load_key(log.origin)
    if key is None or key.verifier not in {stored.key for stored in stored_keys(log.database)}:
        raise BadInput(
            "a bundle is made on the machine with the log's signing key, which signs the list of "
            "its events; `sabot evidence prove --event` needs no key"
        )
    lines = [line.removesuffix(b"\n") for line in export_lines(log, streams=[stream])]
    indexes = [msgspec.json.decode(line, type=_Place).index for line in lines]
    tree = event_tree(log.database)
    published = newest_of(log.database)
    report = audit_log(log, [shoe], until=published.checkpoint.size)
    add_states(log, report, until=published.checkpoint.size)
    of = provenance(log, published.checkpoint.size, [shoe])
    page = audit_page(report, of, show, resolved=True)
    members = {
        README_FILE: _README.format(
            stream=stream, origin=published.checkpoint.origin, events_file=EVENTS_FILE
        ).encode(),
        CHECKPOINT_FILE: published.note.encode(),
        KEY_FILE: f"{published.key}\n".encode(),
        EVENTS_FILE: b"".join(line + b"\n" for line in lines),
        PACK_FILE: _pack_of(log, stream).encode(),
        AUDIT_FILE: msgspec.json.format(
            msgspec.json.encode(report.document(resolved=True), order="sorted"), indent=2
        )
        + b"\n",
        PAGE_FILE: page.encode(),
    }
    members[LIST_FILE] = key.sign(list_text(log.origin, members)).encode()
    members |= {proof_file(index): str(tree.proof(index)).encode() for index in indexes}
    write_whole(place, _zip(members), mode=0o600, replace=replace)


def _pack_of(log: EventLog, stream: str) -> str:
    loaded = first_of(ShoeLoaded, log.read(stream))
    if loaded is None:
        raise NotFound(f"{stream} has no shoe-loaded event, so no rule pack is known")
    return loaded.payload.pack


def _zip(members: dict[str, bytes]) -> bytes:

    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _FIRST_DAY)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            bundle.writestr(info, data)
    return buffer.getvalue()
