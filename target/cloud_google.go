package target

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// googleCredentials takes an API key, a token, or the key of a service account,
// in this order.
func googleCredentials(h Host) (Credentials, error) {
	if key := h.first("GOOGLE_API_KEY", "GEMINI_API_KEY"); key != "" {
		return keyHeader("X-Goog-Api-Key", key), nil
	}
	if token := h.first("GOOGLE_OAUTH_ACCESS_TOKEN"); token != "" {
		return bearer(token), nil
	}
	path := h.path("GOOGLE_APPLICATION_CREDENTIALS", ".config", "gcloud", "application_default_credentials.json")
	data, err := h.ReadFile(path)
	if err != nil {
		return Credentials{}, fmt.Errorf("no credentials for Google: set GOOGLE_API_KEY, GOOGLE_OAUTH_ACCESS_TOKEN or GOOGLE_APPLICATION_CREDENTIALS: %w", err)
	}
	var account struct {
		Type  string `json:"type"`
		Email string `json:"client_email"`
		ID    string `json:"private_key_id"`
		Key   string `json:"private_key"`
	}
	if err := json.Unmarshal(data, &account); err != nil {
		return Credentials{}, fmt.Errorf("%s: %w", path, err)
	}
	if account.Type != "service_account" {
		return Credentials{}, fmt.Errorf("%s holds credentials of type %q, want service_account; or set GOOGLE_OAUTH_ACCESS_TOKEN to what gcloud auth print-access-token prints", path, account.Type)
	}
	key, err := rsaKey([]byte(account.Key))
	if err != nil {
		return Credentials{}, fmt.Errorf("%s: private_key: %w", path, err)
	}
	return Credentials{Sign: &serviceAccount{email: account.Email, id: account.ID, key: key, now: h.Now}, Secrets: []string{account.Key}}, nil
}

// A serviceAccount proves itself with a token that it signs on its own, which
// Google accepts in place of one from its token service. Calls that are prepared
// within half an hour share it.
type serviceAccount struct {
	email, id string
	key       *rsa.PrivateKey
	now       func() time.Time

	mu    sync.Mutex
	token string
	made  time.Time
}

var _ Signer = (*serviceAccount)(nil)

// tokenLife is the longest that Google lets such a token live.
const tokenLife = time.Hour

// Sign implements Signer.
func (a *serviceAccount) Sign(r *http.Request, _ []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := a.now(); a.token == "" || now.Sub(a.made) > tokenLife/2 {
		token, err := a.sign(now)
		if err != nil {
			return err
		}
		a.token, a.made = token, now
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	return nil
}

func (a *serviceAccount) sign(now time.Time) (string, error) {
	part := func(v any) string {
		data, _ := json.Marshal(v) // text and whole numbers always marshal
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := part(map[string]string{"alg": "RS256", "typ": "JWT", "kid": a.id}) + "." + part(map[string]any{
		"iss": a.email, "sub": a.email, "scope": "https://www.googleapis.com/auth/cloud-platform",
		"iat": now.Unix(), "exp": now.Add(tokenLife).Unix(),
	})
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign token of %s: %w", a.email, err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
