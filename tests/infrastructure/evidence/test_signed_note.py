"""Signed notes and checkpoints: the published example, and invalid ones."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.evidence.checkpoint import (
    Checkpoint,
    open_checkpoint,
    sign_checkpoint,
)
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.signed_note import (
    COSIGNATURE,
    SigningKey,
    VerifierKey,
    cosigned_text,
    open_note,
    signature_line,
)
from tests.support.for_each import for_each

# The example of https://pkg.go.dev/golang.org/x/mod/sumdb/note
PRIVATE = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
NOTE = (
    TEXT + "\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)


def key_of(name: str, first: int) -> SigningKey:
    return SigningKey(name, bytes([first]) * 32)


def test_the_published_example() -> None:
    key = SigningKey.parse(PRIVATE)
    assert str(key) == PRIVATE
    assert str(key.verifier) == PUBLIC
    assert key.sign(TEXT) == NOTE
    opened = open_note(NOTE.encode(), [VerifierKey.parse(PUBLIC)])
    assert opened.text == TEXT
    assert opened.signers == (key.verifier,)


def test_a_private_key_is_not_shown_by_accident() -> None:
    key = key_of("sabot/1", 7)
    assert "PRIVATE" not in repr(key)
    assert repr(key) == f"SigningKey({key.verifier})"


def test_signatures_of_unknown_keys_are_ignored_and_named() -> None:
    log, other = key_of("log", 1), key_of("other", 2)
    note = log.sign("text\n") + other.sign("text\n").rpartition("\n\n")[2]
    opened = open_note(note, [log.verifier])
    assert opened.signers == (log.verifier,)
    assert opened.unchecked == ("other",)


def test_a_cosignature_states_its_time() -> None:
    log, witness = key_of("log", 1), key_of("witness", 2)
    public = VerifierKey("witness", COSIGNATURE, witness.verifier.public)
    text = "log\n1\n" + "A" * 43 + "=\n"
    signature = witness.sign_bytes(cosigned_text(text, 1_700_000_000).encode())
    line = signature_line(public, (1_700_000_000).to_bytes(8, "big") + signature)
    opened = open_note(log.sign(text) + line, [log.verifier, public])
    assert opened.times == {"witness": 1_700_000_000}
    later = signature_line(public, (1_700_000_001).to_bytes(8, "big") + signature)
    with pytest.raises(UntrustedLog):
        open_note(log.sign(text) + later, [public])


@for_each(
    "note",
    [
        "",
        "text\n",
        NOTE.replace("cryptography", "cryptology"),
        NOTE.replace("nAM=", "nAN="),
        NOTE.replace("— ", "- "),
        NOTE[:-1],
        NOTE.replace("answer", "ans\x07wer"),
        NOTE.replace("x08go", "x08gp"),
        NOTE.encode().replace(b"answer", b"ans\xffer"),
        NOTE + "\n",
        NOTE * 20_000,
    ],
)
def test_a_damaged_note_is_refused(note: str | bytes) -> None:
    key = VerifierKey.parse(PUBLIC)
    with suppress(UntrustedLog):
        assert not open_note(note, [key]).signers  # an unknown key id is another key


@pytest.mark.parametrize(
    "text",
    ["", "x", "x+y", PUBLIC[:-1], PUBLIC.replace("c74f", "c74e"), PUBLIC.replace("Peter", "P ")],
)
def test_a_damaged_key_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        VerifierKey.parse(text)
    with pytest.raises(BadInput):
        SigningKey.parse("PRIVATE+KEY+" + text)


@given(st.integers(0, 2**63 - 1), st.binary(min_size=32, max_size=32))
def test_a_checkpoint_reads_as_it_is_written(size: int, root: bytes) -> None:
    checkpoint = Checkpoint("sabot/1", size, root)
    assert Checkpoint.parse(checkpoint.text) == checkpoint


ROOT = "A" * 43 + "="


@for_each(
    "text",
    [
        "", "log\n", f"log\n1\n{ROOT}", f"log\n01\n{ROOT}\n", f"log\n-1\n{ROOT}\n",
        f"log\n+1\n{ROOT}\n", f"log\n1_0\n{ROOT}\n", f"log\n\u0661\n{ROOT}\n", f"\n1\n{ROOT}\n",
        "log\n1\nAAAA\n", f"log\n{2**63}\n{ROOT}\n", f"log\n1\n{ROOT[:-1]}\n",
        f"log\n1\n{ROOT}\n\nmore\n",
    ],
)  # fmt: skip
def test_a_damaged_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(UntrustedLog):
        Checkpoint.parse(text)


def test_a_checkpoint_is_of_the_log_that_its_key_names() -> None:
    tree = TreeHead()
    tree.append([leaf_hash(b"line")])
    key, other = key_of("sabot/1", 1), key_of("sabot/2", 2)
    note = sign_checkpoint("sabot/1", tree, key)
    assert open_checkpoint(note, key.verifier).checkpoint.size == 1
    with pytest.raises(UntrustedLog, match="not signed"):
        open_checkpoint(note, other.verifier)
    with pytest.raises(UntrustedLog, match="is of"):
        open_checkpoint(sign_checkpoint("sabot/2", tree, key), key.verifier)
