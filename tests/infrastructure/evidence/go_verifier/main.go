// A verifier that shares no code with Sabot: Go's own notes, tiles and proofs (x/mod/sumdb).
//
//	verifier [-witness KEY] KEY FOLDER [PROOF LINE]
//	verifier KEY BUNDLE.zip
//
// FOLDER is a published directory with its lines. Every tile and line is checked against the
// signed checkpoint; with PROOF and LINE, two files, that the line is in the log. With -witness the
// checkpoint must have the cosignature of that key too. BUNDLE.zip is the evidence of a shoe: each
// line must have its proof by the bundle's checkpoint, and be the next of its stream; the other files
// must be those of the signed list.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type folder string

func (folder) Height() int { return 8 }

func (folder) SaveTiles([]tlog.Tile, [][]byte) {}

// tile reads a tile. Its path is that of the C2SP, which has no height.
func (f folder) tile(t tlog.Tile) ([]byte, error) {
	path := strings.Replace(t.Path(), "tile/8/data/", "tile/entries/", 1)
	path = strings.Replace(path, "tile/8/", "tile/", 1)
	return os.ReadFile(filepath.Join(string(f), path))
}

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, t := range tiles {
		read, err := f.tile(t)
		if err != nil {
			return nil, err
		}
		data[i] = read
	}
	return data, nil
}

// cosigner checks the cosignatures of a witness (c2sp.org/tlog-cosignature).
type cosigner struct {
	name   string
	hash   uint32
	public ed25519.PublicKey
}

func (c cosigner) Name() string { return c.name }

func (c cosigner) KeyHash() uint32 { return c.hash }

func (c cosigner) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	time := binary.BigEndian.Uint64(signature)
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", time, text)
	return ed25519.Verify(c.public, []byte(signed), signature[8:])
}

func newCosigner(key string) (cosigner, error) {
	parts := strings.SplitN(key, "+", 3)
	if len(parts) != 3 {
		return cosigner{}, errors.New("it is no key of a witness")
	}
	raw, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(raw) != 1+ed25519.PublicKeySize || raw[0] != 4 {
		return cosigner{}, errors.New("it is no key of a witness")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), raw...))
	return cosigner{parts[0], binary.BigEndian.Uint32(sum[:]), raw[1:]}, nil
}

// checkpoint opens a checkpoint that all of these have signed, and returns its tree.
func checkpoint(text []byte, key string, witnesses ...note.Verifier) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(text, note.VerifierList(append(witnesses, verifier)...))
	if err != nil {
		return tlog.Tree{}, err
	}
	if len(opened.Sigs) != 1+len(witnesses) {
		return tlog.Tree{}, errors.New("a signature is missing")
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, errors.New("the checkpoint is of another log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return tlog.Tree{}, errors.New("the root is not 32 bytes")
	}
	return tlog.Tree{N: size, Hash: tlog.Hash(root)}, nil
}

// verifyFolder checks every line against the tiles, and the tiles against the tree.
func verifyFolder(f folder, tree tlog.Tree) error {
	reader := tlog.TileHashReader(tree, f)
	for start := int64(0); start < tree.N; start += 256 {
		width := min(tree.N-start, 256)
		data, err := f.tile(tlog.Tile{H: 8, L: -1, N: start / 256, W: int(width)})
		if err != nil {
			return err
		}
		for n := start; n < start+width; n++ {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				return fmt.Errorf("line %d is cut", n)
			}
			length := int(binary.BigEndian.Uint16(data))
			line := data[2 : 2+length]
			data = data[2+length:]
			hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, n)})
			if err != nil {
				return err
			}
			if hashes[0] != tlog.RecordHash(line) {
				return fmt.Errorf("line %d is not as it was signed", n)
			}
		}
	}
	return nil
}

// verifyBundle checks the lines of a bundle, each by its proof. It returns how many there are.
func verifyBundle(place, key string) (int, error) {
	bundle, err := zip.OpenReader(place)
	if err != nil {
		return 0, err
	}
	defer bundle.Close()
	read := func(name string) ([]byte, error) {
		file, err := bundle.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return io.ReadAll(file)
	}
	events, err := read("events.jsonl")
	if err != nil {
		return 0, err
	}
	signed, err := read("checkpoint")
	if err != nil {
		return 0, err
	}
	lines := bytes.Split(bytes.TrimSuffix(events, []byte("\n")), []byte("\n"))
	if err := verifyList(&bundle.Reader, read, key, len(lines)); err != nil {
		return 0, err
	}
	stream := ""
	for number, line := range lines {
		place := struct {
			Index, Version int64
			Stream         string
		}{}
		if err := json.Unmarshal(line, &place); err != nil {
			return 0, err
		}
		if number == 0 {
			stream = place.Stream
		}
		if place.Stream != stream || place.Version != int64(number+1) {
			return 0, fmt.Errorf("line %d is not the next of %s", number+1, stream)
		}
		proof, err := read(fmt.Sprintf("proofs/%d.tlog-proof", place.Index))
		if err != nil {
			return 0, err
		}
		if !bytes.HasPrefix(proof, fmt.Appendf(nil, "c2sp.org/tlog-proof@v1\nindex %d\n", place.Index-1)) {
			return 0, fmt.Errorf("line %d has the proof of another event", number+1)
		}
		if !bytes.HasSuffix(proof, append([]byte("\n\n"), signed...)) {
			return 0, fmt.Errorf("line %d has the proof of another checkpoint", number+1)
		}
		if err := verifyProof(proof, hashed(line), key); err != nil {
			return 0, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	return len(lines), nil
}

// hashed returns the line that the tree hashes. A payload that is text stands for the stored payload.
func hashed(line []byte) []byte {
	stated := struct{ Payload json.RawMessage }{}
	text := ""
	if json.Unmarshal(line, &stated) != nil || json.Unmarshal(stated.Payload, &text) != nil {
		return line
	}
	key := []byte(`"payload":`)
	return bytes.Replace(line, slices.Concat(key, stated.Payload), slices.Concat(key, []byte(text)), 1)
}

// verifyList checks the signed list of a bundle's files, and that it has one proof for each line.
func verifyList(bundle *zip.Reader, read func(string) ([]byte, error), key string, lines int) error {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return err
	}
	text, err := read("signed-list")
	if err != nil {
		return err
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	proofs, listed := 0, []string{}
	for _, file := range bundle.File {
		if strings.HasPrefix(file.Name, "proofs/") {
			proofs++
			continue
		}
		if file.Name == "signed-list" {
			continue
		}
		data, err := read(file.Name)
		if err != nil {
			return err
		}
		listed = append(listed, fmt.Sprintf("%s %x\n", file.Name, sha256.Sum256(data)))
	}
	sort.Strings(listed)
	wanted := "sabot-bundle-1\n" + verifier.Name() + "\n"
	for _, line := range listed {
		name, digest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		wanted += digest + " " + name + "\n"
	}
	if opened.Text != wanted {
		return errors.New("a file was changed, added or removed after the list was signed")
	}
	if proofs != lines {
		return fmt.Errorf("there are %d proofs of %d lines", proofs, lines)
	}
	return nil
}

// verifyProof checks a proof file of one line.
func verifyProof(text, line []byte, key string) error {
	head, signed, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return errors.New("it is no proof")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return err
	}
	proof := tlog.RecordProof{}
	for _, encoded := range lines[2:] {
		hash, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(hash) != tlog.HashSize {
			return errors.New("a hash is not 32 bytes")
		}
		proof = append(proof, tlog.Hash(hash))
	}
	tree, err := checkpoint([]byte(signed), key)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(line))
}

func run(arguments []string) error {
	var witnesses []note.Verifier
	if arguments[0] == "-witness" {
		witness, err := newCosigner(arguments[1])
		if err != nil {
			return err
		}
		witnesses, arguments = append(witnesses, witness), arguments[2:]
	}
	if strings.HasSuffix(arguments[1], ".zip") {
		lines, err := verifyBundle(arguments[1], arguments[0])
		if err == nil {
			fmt.Printf("%d lines are as they were signed\n", lines)
		}
		return err
	}
	key, where := arguments[0], folder(arguments[1])
	text, err := os.ReadFile(filepath.Join(string(where), "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := checkpoint(text, key, witnesses...)
	if err != nil {
		return err
	}
	if err := verifyFolder(where, tree); err != nil {
		return err
	}
	fmt.Printf("%d lines are as they were signed\n", tree.N)
	if len(arguments) < 4 {
		return nil
	}
	proof, err := os.ReadFile(arguments[2])
	if err != nil {
		return err
	}
	line, err := os.ReadFile(arguments[3])
	if err != nil {
		return err
	}
	return verifyProof(proof, line, key)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
