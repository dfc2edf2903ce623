"""The log as evidence: its Merkle tree, signed checkpoints, proofs and published files."""
