"""The log as evidence: a Merkle tree over it, signed checkpoints, tiles and proofs."""
