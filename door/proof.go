package door

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// leastSecret is how many characters a secret has at least. Whoever is answered once
// may try secrets at leisure, so a secret must be beyond guessing: 16 characters of
// openssl rand -hex are 64 bits.
const leastSecret = 16

// CheckSecret refuses a secret that could be guessed. It says nothing of its content.
func CheckSecret(secret string) error {
	if len(secret) < leastSecret {
		return fmt.Errorf("a secret of %d characters, want at least %d: openssl rand -hex 32 makes a good one", len(secret), leastSecret)
	}
	return nil
}

// The lengths of a nonce and of a proof, which are written in hexadecimal digits.
const (
	nonceLength = 32
	proofLength = 2 * sha256.Size
)

// Nonce is a number that was never used before, for one conversation.
func Nonce() string {
	var random [nonceLength / 2]byte
	_, _ = rand.Read(random[:]) // it never fails
	return hex.EncodeToString(random[:])
}

// IsNonce says that a text that came over a wire could be a nonce.
func IsNonce(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == nonceLength
}

// Proof shows that its maker knows the secret, for a conversation that words describe:
// what is spoken, who speaks, and a nonce of either side. It is the HMAC-SHA256 over the
// words with a newline between any two; no word may hold one.
func Proof(secret string, words ...string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	io.WriteString(mac, strings.Join(words, "\n"))
	return hex.EncodeToString(mac.Sum(nil))
}

// Proves says whether proof is that of the words. It takes as long whatever the proof
// is.
func Proves(proof, secret string, words ...string) bool {
	return hmac.Equal([]byte(proof), []byte(Proof(secret, words...)))
}

// ErrStranger is that the other side does not know the secret.
var ErrStranger = errors.New("it does not know the secret")

// The last word of a proof but the nonces: which side made it. A proof that is sent
// back to its maker proves nothing.
const (
	dialled  = "dialled"
	accepted = "accepted"
)

// Greet is the side that dialled: it has the other one prove that it knows the secret
// and then proves the same. Both sides name the same words.
func Greet(conn io.ReadWriter, secret string, words ...string) error {
	own := Nonce()
	if _, err := io.WriteString(conn, own); err != nil {
		return err
	}
	reply := make([]byte, nonceLength+proofLength)
	if _, err := io.ReadFull(conn, reply); err != nil {
		return err
	}
	theirs, proof := string(reply[:nonceLength]), string(reply[nonceLength:])
	if !Proves(proof, secret, said(words, accepted, own, theirs)...) {
		return ErrStranger
	}
	_, err := io.WriteString(conn, Proof(secret, said(words, dialled, own, theirs)...))
	return err
}

// Receive is the side that was dialled.
func Receive(conn io.ReadWriter, secret string, words ...string) error {
	theirs := make([]byte, nonceLength)
	if _, err := io.ReadFull(conn, theirs); err != nil {
		return err
	}
	if !IsNonce(string(theirs)) {
		return ErrStranger
	}
	own := Nonce()
	if _, err := io.WriteString(conn, own+Proof(secret, said(words, accepted, string(theirs), own)...)); err != nil {
		return err
	}
	proof := make([]byte, proofLength)
	if _, err := io.ReadFull(conn, proof); err != nil {
		return err
	}
	if !Proves(string(proof), secret, said(words, dialled, string(theirs), own)...) {
		return ErrStranger
	}
	return nil
}

func said(words []string, role, dialler, acceptor string) []string {
	return append(words[:len(words):len(words)], role, dialler, acceptor)
}
