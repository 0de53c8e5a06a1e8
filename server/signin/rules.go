package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/tokens"
)

// A Rule allows those something of whom the issuer says everything that it names. Whoever
// fits several has the largest of their scopes; whoever fits none is refused.
type Rule struct {
	// Match holds claims and what they must be. A claim that is a list must have the value
	// among its own; one that has parts is matched by its parts.
	Match map[string]any `yaml:"match"`
	Scope tokens.Scope   `yaml:"scope"`
}

// saysNothing are claims that everybody has whom the issuer signs a token for. A rule of
// them would let anybody in: of a public issuer, anybody at all.
var saysNothing = []string{"iss", "aud", "azp", "exp", "iat", "nbf", "auth_time", "nonce", "typ", "email_verified"}

func (r Rule) faults() (faults []error) {
	if !slices.Contains(tokens.Scopes, r.Scope) {
		faults = append(faults, fmt.Errorf("scope: got %q, want read, write, run or admin", r.Scope))
	}
	tells := false
	for _, name := range slices.Sorted(maps.Keys(r.Match)) {
		tells = tells || !slices.Contains(saysNothing, name)
		if err := valueFault(r.Match[name]); err != nil {
			faults = append(faults, fmt.Errorf("match.%s: %w", name, err))
		}
	}
	if !tells {
		faults = append(faults, errors.New("match: want a claim that only those have who may do this, such as groups, email, sub or repository"))
	}
	return faults
}

func valueFault(value any) error {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			return errors.New("got no parts, want one or more")
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := valueFault(v[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case string:
		if strings.TrimSpace(v) != "" {
			return nil
		}
	case bool, int:
		return nil
	}
	return fmt.Errorf("got %v, want one text, number, true or false; write a rule for each of several", value)
}

// fits reports whether the claims are what the rule names.
func (r Rule) fits(claims map[string]any) bool {
	if _, named := r.Match["email"]; named && !emailVerified(claims) {
		return false // somebody else's address is easily written down
	}
	return len(r.Match) > 0 && fits(r.Match, claims)
}

// emailVerified reports whether the issuer has seen that the address is theirs. Some
// write the answer as a text.
func emailVerified(claims map[string]any) bool {
	return claims["email_verified"] == true || claims["email_verified"] == "true"
}

func fits(want, claim any) bool {
	if parts, ok := want.(map[string]any); ok {
		have, ok := claim.(map[string]any)
		if !ok {
			return false
		}
		for name, part := range parts {
			if got, there := have[name]; !there || !fits(part, got) {
				return false
			}
		}
		return true
	}
	if list, ok := claim.([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return same(want, one) })
	}
	return same(want, claim)
}

// same compares single values by how they are written: some issuers write numbers as texts.
func same(want, claim any) bool {
	switch v := claim.(type) {
	case string:
		return v == fmt.Sprint(want)
	case bool:
		return strconv.FormatBool(v) == fmt.Sprint(want)
	case json.Number:
		return v.String() == fmt.Sprint(want)
	}
	return false
}

// admit makes of claims, which the issuer has signed, somebody who may do something.
func (p *provider) admit(claims claims) (tokens.Token, error) {
	if claims.subject == "" {
		return tokens.Token{}, fmt.Errorf("%w: it does not say whom it is about", ErrInvalid)
	}
	sum := sha256.Sum256([]byte(p.Address + "\n" + claims.subject))
	t := tokens.Token{
		ID: p.Name + "-" + hex.EncodeToString(sum[:8]), Name: nameOf(claims) + " (" + p.Name + ")", Created: claims.issued, Expires: claims.expires,
	}
	for _, rule := range p.Allow {
		if rule.fits(claims.all) && !t.Scope.Covers(rule.Scope) {
			t.Scope = rule.Scope
		}
	}
	if t.Scope == "" {
		return t, fmt.Errorf("%w: %s", ErrNotAllowed, t.Name)
	}
	return t, nil
}

// nameOf is what somebody is called here. It is none of the names that people give
// themselves, but one that the issuer has seen to be theirs, or has given them.
func nameOf(c claims) string {
	for _, name := range []string{"email", "preferred_username"} {
		text, _ := c.all[name].(string)
		if text = strings.TrimSpace(text); text != "" && (name != "email" || emailVerified(c.all)) {
			return shown(text)
		}
	}
	return shown(c.subject)
}
