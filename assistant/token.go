package assistant

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// RequireToken lets those through who send the token as a bearer's. Digests are
// compared, in a time that says nothing about how much of the token was right.
func RequireToken(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(sent))
		if !bearer || token == "" || subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="assay"`)
			http.Error(w, "want the header Authorization: Bearer TOKEN, with the token that assay mcp was started with", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
