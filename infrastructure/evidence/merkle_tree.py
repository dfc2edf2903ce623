"""The Merkle tree of RFC 6962 over the lines of a log.

Leaf n is the SHA-256 of a zero byte followed by line n, without its newline. A node is the SHA-256
of a one byte followed by the hashes of its two children. A tree of ``size`` leaves splits at the
largest power of two below it. A change of any line changes the root, and a proof of some thirty
hashes shows that a line is in a tree, or that one tree continues another.

Source: RFC 6962, section 2.1; the checks of proofs are those of RFC 9162, sections 2.1.3.2 and
2.1.4.2.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final

from sabot.domain.values.errors import BadInput, UntrustedLog

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()

NodeReader = Callable[[int, int], bytes]
"""Returns the hash of a complete subtree.

Arguments are its level (0 for a leaf) and its number at that level, from 0.
"""


def leaf_hash(line: bytes) -> bytes:
    """Return the hash of a line, without its newline."""
    return sha256(b"\0" + line).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node with two children."""
    return sha256(b"\1" + left + right).digest()


class TreeHead:
    """The head of a growing tree: the hashes of its largest complete subtrees.

    They suffice to append leaves. Appending a leaf takes constant time on average, and the root
    logarithmic time. Memory is one hash for each bit that is set in the size.

    Attributes:
        size: the number of leaves.
    """

    def __init__(self, size: int = 0, subtrees: bytes = b"") -> None:
        """Continue a tree from `subtrees_of`.

        Raises:
            BadInput: there is not one hash for each bit that is set in the size.
        """
        if size < 0 or len(subtrees) != HASH_BYTES * size.bit_count():
            raise BadInput(f"{len(subtrees)} bytes are not the subtrees of a tree of {size} leaves")
        self.size = size
        self._subtrees = [
            subtrees[at : at + HASH_BYTES] for at in range(0, len(subtrees), HASH_BYTES)
        ]

    @property
    def subtrees(self) -> bytes:
        """The hashes of the largest complete subtrees from left to right, joined."""
        return b"".join(self._subtrees)

    def copy(self) -> "TreeHead":
        """Return a copy that can grow independently."""
        return TreeHead(self.size, self.subtrees)

    def append(self, leaves: Iterable[bytes]) -> None:
        """Append the hashes of leaves."""
        subtrees, size = self._subtrees, self.size
        for leaf in leaves:
            node, place = leaf, size
            while place & 1:
                node = sha256(b"\1" + subtrees.pop() + node).digest()
                place >>= 1
            subtrees.append(node)
            size += 1
        self.size = size

    def root(self) -> bytes:
        """Return the hash of the whole tree."""
        if not self._subtrees:
            return EMPTY_ROOT
        root = self._subtrees[-1]
        for subtree in reversed(self._subtrees[:-1]):
            root = node_hash(subtree, root)
        return root


# -- Proofs -----------------------------------------------------------------------------------


def _split(size: int) -> int:
    """Return the largest power of two below a size of at least 2."""
    return 1 << ((size - 1).bit_length() - 1)


def range_hash(node: NodeReader, start: int, end: int) -> bytes:
    """Return the hash of the leaves from ``start`` up to, but not including, ``end``.

    The leaves must form a subtree. So ``start`` is a multiple of the smallest power of two that is
    at least their number.
    """
    size = end - start
    if size & (size - 1) == 0:
        level = size.bit_length() - 1
        return node(level, start >> level)
    middle = start + _split(size)
    return node_hash(range_hash(node, start, middle), range_hash(node, middle, end))


def root_of(node: NodeReader, size: int) -> bytes:
    """Return the root of a tree of some size."""
    return range_hash(node, 0, size) if size else EMPTY_ROOT


def inclusion_proof(node: NodeReader, leaf: int, size: int) -> list[bytes]:
    """Return the hashes from a leaf to the root of a tree.

    Args:
        node: reads the tree.
        leaf: number of the leaf, from 0.
        size: number of leaves of the tree.

    Raises:
        BadInput: the tree has no such leaf.
    """
    if not 0 <= leaf < size:
        raise BadInput(f"a tree of {size} leaves has no leaf {leaf}")
    proof: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if leaf < middle:
            proof.append(range_hash(node, middle, end))
            end = middle
        else:
            proof.append(range_hash(node, start, middle))
            start = middle
    return proof[::-1]


def consistency_proof(node: NodeReader, old: int, new: int) -> list[bytes]:
    """Return the hashes that prove that a tree of ``new`` leaves continues one of ``old``.

    Raises:
        BadInput: the old tree is empty or larger than the new one.
    """
    if not 0 < old <= new:
        raise BadInput(f"a tree of {new} leaves does not continue one of {old}")
    proof: list[bytes] = []
    start, end, whole = 0, new, True
    while old != end:
        middle = start + _split(end - start)
        if old <= middle:
            proof.append(range_hash(node, middle, end))
            end = middle
        else:
            proof.append(range_hash(node, start, middle))
            start, whole = middle, False
    if not whole:
        proof.append(range_hash(node, start, end))
    return proof[::-1]


def check_inclusion(
    proof: Sequence[bytes], leaf: int, size: int, leaf_digest: bytes, root: bytes
) -> None:
    """Check that a leaf is in a tree.

    Every element of the proof is used, and none may remain.

    Raises:
        UntrustedLog: the leaf is not in the tree, or the proof has another number of hashes.
    """
    if not 0 <= leaf < size:
        raise UntrustedLog(f"a tree of {size} leaves has no leaf {leaf}")
    digest = leaf_digest
    for step, is_left in _steps(proof, leaf, size - 1):
        digest = node_hash(step, digest) if is_left else node_hash(digest, step)
    if digest != root:
        raise UntrustedLog("the line is not in the tree of the checkpoint")


def check_consistency(
    proof: Sequence[bytes], old: int, new: int, old_root: bytes, new_root: bytes
) -> None:
    """Check that a tree continues an earlier one.

    Raises:
        UntrustedLog: the tree does not continue it, or the proof has another number of hashes.
    """
    if not 0 < old <= new:
        raise UntrustedLog(f"a tree of {new} leaves does not continue one of {old}")
    if old == new:
        if proof:
            raise UntrustedLog(_SHAPE)
        if old_root != new_root:
            raise UntrustedLog(f"there are two different trees of {old} leaves")
        return
    is_subtree = old & (old - 1) == 0  # the old root is then a node of the new tree
    first, *steps = (old_root, *proof) if is_subtree else (*proof, b"")[: len(proof) or 1]
    below = (old & -old).bit_length() - 1
    was = now = first
    for step, is_left in _steps(steps, (old - 1) >> below, (new - 1) >> below):
        now = node_hash(step, now) if is_left else node_hash(now, step)
        if is_left:
            was = node_hash(step, was)
    if was != old_root or now != new_root:
        raise UntrustedLog(
            f"the tree of {new} leaves does not continue the one of {old}: "
            "what was published has been changed"
        )


def _steps(proof: Sequence[bytes], number: int, last: int) -> Iterator[tuple[bytes, bool]]:
    """Yield each hash of a proof, and whether it is a left sibling.

    Args:
        proof: the hashes from the bottom of the tree to its root.
        number: the number of the first node within its level.
        last: the number of the last node of that level.

    Raises:
        UntrustedLog: there are more or fewer hashes than levels.
    """
    for step in proof:
        if last == 0 or len(step) != HASH_BYTES:
            raise UntrustedLog(_SHAPE)
        is_left = bool(number & 1) or number == last
        yield step, is_left
        while is_left and number and not number & 1:
            number >>= 1
            last >>= 1
        number >>= 1
        last >>= 1
    if last:
        raise UntrustedLog(_SHAPE)


_SHAPE: Final = "the proof is not of the shape that this place in the tree has"
