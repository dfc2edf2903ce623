"""The Merkle tree: published roots, and proofs of every leaf of small trees."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.evidence.merkle_tree import (
    EMPTY_ROOT,
    TreeHead,
    check_consistency,
    check_inclusion,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
)

LEAVES = [
    bytes.fromhex(text)
    for text in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
"""The leaves of the reference tree of Certificate Transparency (merkle_tree_test.cc)."""

ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def reference_root(leaves: list[bytes]) -> bytes:
    """Compute a root by the definition of RFC 6962, section 2.1."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = reference_root(leaves[:split]), reference_root(leaves[split:])
    return sha256(b"\1" + left + right).digest()


class Tree:
    """A tree that reads its nodes by the definition."""

    def __init__(self, size: int) -> None:
        self.lines = [b"line %d" % number for number in range(size)]

    def node(self, level: int, number: int) -> bytes:
        lines = self.lines[number << level : (number + 1) << level]
        assert len(lines) == 1 << level
        return reference_root(lines)

    def root(self, size: int) -> bytes:
        return reference_root(self.lines[:size])


def test_published_roots() -> None:
    head = TreeHead()
    assert head.root() == EMPTY_ROOT == sha256(b"").digest()
    for leaf, root in zip(LEAVES, ROOTS, strict=True):
        head.append([leaf_hash(leaf)])
        assert head.root().hex() == root


@given(st.integers(0, 300), st.integers(0, 300))
def test_a_tree_grows_from_its_subtrees(first: int, more: int) -> None:
    lines = [b"%d" % number for number in range(first + more)]
    head = TreeHead()
    head.append(map(leaf_hash, lines[:first]))
    again = TreeHead(head.size, head.subtrees)
    again.append(map(leaf_hash, lines[first:]))
    assert again.root() == reference_root(lines)


def test_every_leaf_of_small_trees_is_proven_and_no_other() -> None:
    tree = Tree(40)
    for size in range(1, 41):
        root = tree.root(size)
        assert root_of(tree.node, size) == root
        for leaf in range(size):
            proof = inclusion_proof(tree.node, leaf, size)
            digest = leaf_hash(tree.lines[leaf])
            check_inclusion(proof, leaf, size, digest, root)
            with pytest.raises(UntrustedLog):
                check_inclusion(proof, leaf, size, leaf_hash(b"another line"), root)
            with pytest.raises(UntrustedLog):
                check_inclusion([*proof, digest], leaf, size, digest, root)
            for place in range(len(proof)):
                broken = [*proof]
                broken[place] = digest
                with pytest.raises(UntrustedLog):
                    check_inclusion(broken, leaf, size, digest, root)
                with pytest.raises(UntrustedLog):
                    check_inclusion(proof[:place], leaf, size, digest, root)


def test_every_pair_of_small_trees_is_consistent_and_no_altered_one() -> None:
    tree = Tree(34)
    for new in range(1, 35):
        for old in range(1, new + 1):
            proof = consistency_proof(tree.node, old, new)
            old_root, new_root = tree.root(old), tree.root(new)
            check_consistency(proof, old, new, old_root, new_root)
            other = sha256(b"other").digest()
            for was, now in ((other, new_root), (old_root, other)):
                with pytest.raises(UntrustedLog):
                    check_consistency(proof, old, new, was, now)
            for place in range(len(proof)):
                broken = [*proof]
                broken[place] = other
                with pytest.raises(UntrustedLog):
                    check_consistency(broken, old, new, old_root, new_root)
                with pytest.raises(UntrustedLog):
                    check_consistency(proof[:place], old, new, old_root, new_root)
            with pytest.raises(UntrustedLog):
                check_consistency([*proof, other], old, new, old_root, new_root)


def test_impossible_places_are_refused() -> None:
    tree = Tree(3)
    with pytest.raises(BadInput):
        inclusion_proof(tree.node, 3, 3)
    with pytest.raises(BadInput):
        consistency_proof(tree.node, 0, 3)
    with pytest.raises(UntrustedLog):
        check_inclusion([], 1, 1, b"", b"")
    with pytest.raises(UntrustedLog):
        check_consistency([], 4, 3, b"", b"")
    with pytest.raises(BadInput):
        TreeHead(3, b"\0" * 32)
