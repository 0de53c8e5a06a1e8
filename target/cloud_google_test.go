package target

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// googleHost has one file of credentials.
func googleHost(file string) Host {
	return fakeHost(map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "/google.json"}, map[string]string{"/google.json": file})
}

// tokenOf is what a signer puts into a request.
func tokenOf(t *testing.T, credentials Credentials) string {
	t.Helper()
	r := &http.Request{Header: http.Header{}}
	if err := credentials.Sign.Sign(r, nil); err != nil {
		t.Fatal(err)
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		t.Fatalf("Authorization %q, want a bearer", r.Header.Get("Authorization"))
	}
	return token
}

func TestServiceAccount(t *testing.T) {
	key, _, pkcs8 := newKey(t)
	account, err := json.Marshal(map[string]string{"type": "service_account", "client_email": "a@p.example", "private_key_id": "id1", "private_key": pkcs8})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		credentials, err := FindCredentials("google", googleHost(string(account)))
		if err != nil {
			t.Fatal(err)
		}
		first := tokenOf(t, credentials)
		if !slices.Equal(credentials.Secrets, []string{first, pkcs8}) {
			t.Errorf("%d secrets, want the token and the key", len(credentials.Secrets))
		}
		parts := strings.Split(first, ".")
		verify(t, key, parts[0]+"."+parts[1], parts[2], base64.RawURLEncoding)
		claims, err := base64.RawURLEncoding.DecodeString(parts[1])
		want := fmt.Sprintf(`{"iss":"a@p.example","scope":"https://www.googleapis.com/auth/cloud-platform","aud":"","exp":%d,"iat":%d,"sub":"a@p.example"}`,
			time.Now().Add(time.Hour).Unix(), time.Now().Unix())
		if err != nil || string(claims) != want {
			t.Errorf("claims %s, %v; want %s", claims, err, want)
		}
		time.Sleep(54 * time.Minute)
		if tokenOf(t, credentials) != first {
			t.Error("a token that is good for six minutes was not used again")
		}
		time.Sleep(2 * time.Minute)
		if tokenOf(t, credentials) == first {
			t.Error("a token that is good for four minutes was used again")
		}
	})
}

// tokenService answers like Google's and keeps what it was asked.
func tokenService(t *testing.T, answer string) (url string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.FormValue("grant_type")+" "+r.FormValue("refresh_token")+" "+r.FormValue("client_secret"))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, answer, len(*asked))
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func user(tokens string) string {
	return fmt.Sprintf(`{"type":"authorized_user","client_id":"c","client_secret":"cs1","refresh_token":"rt1","quota_project_id":"p1","token_uri":%q}`, tokens)
}

func TestGoogleUser(t *testing.T) {
	url, asked := tokenService(t, `{"access_token":"at%d","token_type":"Bearer","expires_in":3600}`)
	credentials, err := FindCredentials("google", googleHost(user(url)))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if got := tokenOf(t, credentials); got != "at1" {
			t.Errorf("token %q, want at1", got)
		}
	}
	if !slices.Equal(*asked, []string{"refresh_token rt1 cs1"}) {
		t.Errorf("the token service was asked %q, want once", *asked)
	}
	if want := []string{"at1", "cs1", "rt1"}; !slices.Equal(credentials.Secrets, want) || credentials.Header.Get("X-Goog-User-Project") != "p1" {
		t.Errorf("secrets %q, header %v; want %q and project p1", credentials.Secrets, credentials.Header, want)
	}
}

// A token that ends soon is renewed before it does.
func TestGoogleUserRenews(t *testing.T) {
	url, asked := tokenService(t, `{"access_token":"at%d","token_type":"Bearer","expires_in":290}`)
	credentials, err := FindCredentials("google", googleHost(user(url)))
	if err != nil {
		t.Fatal(err)
	}
	if got := tokenOf(t, credentials); got != "at2" || len(*asked) != 2 {
		t.Errorf("token %q after %d questions, want at2 after two", got, len(*asked))
	}
}

// What opens an account goes to the host that the file names and to no other, and a
// refusal is known before the run.
func TestGoogleUserRefused(t *testing.T) {
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another host was asked with %q", r.FormValue("refresh_token"))
	}))
	defer thief.Close()
	f := func(status int, header http.Header, body, want string) {
		t.Helper()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range header {
				w.Header()[name] = values
			}
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		defer server.Close()
		_, err := FindCredentials("google", googleHost(user(server.URL)))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/google.json") ||
			!strings.Contains(err.Error(), "application-default login") || strings.Contains(err.Error(), "rt1") {
			t.Errorf("%d: error %v, want %q, the file and what to do, without secrets", status, err, want)
		}
	}
	f(http.StatusTemporaryRedirect, http.Header{"Location": {thief.URL}}, "", "307")
	f(http.StatusBadRequest, http.Header{"Content-Type": {"application/json"}}, `{"error":"invalid_grant","error_description":"Token has been revoked."}`, "Token has been revoked")
}

// On a machine of Google's, and on no other, the metadata server is asked.
func TestGoogleMachine(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Header.Get("Metadata-Flavor") + " " + r.URL.String()
		fmt.Fprint(w, `{"access_token":"vm1","token_type":"Bearer","expires_in":3600}`)
	}))
	defer server.Close()
	t.Setenv("GCE_METADATA_HOST", server.Listener.Addr().String()) // the library looks here by itself
	home := map[string]string{"HOME": "/home/u"}
	credentials, err := FindCredentials("google", fakeHost(home, map[string]string{"/sys/class/dmi/id/product_name": "Google Compute Engine\n"}))
	if err != nil {
		t.Fatal(err)
	}
	want := "Google /computeMetadata/v1/instance/service-accounts/default/token?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcloud-platform"
	if got := tokenOf(t, credentials); got != "vm1" || asked != want || !slices.Equal(credentials.Secrets, []string{"vm1"}) {
		t.Errorf("token %q, secrets %q, asked %s", got, credentials.Secrets, asked)
	}
	asked = ""
	elsewhere := map[string]string{"/sys/class/dmi/id/product_name": "Some Server"}
	if _, err := FindCredentials("google", fakeHost(home, elsewhere)); err == nil || asked != "" {
		t.Errorf("error %v after asking %q; want no credentials and no question", err, asked)
	}
	missing := fakeHost(map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": "/none", "GCE_METADATA_HOST": "x"}, nil)
	if _, err := FindCredentials("google", missing); err == nil || !strings.Contains(err.Error(), "/none") || asked != "" {
		t.Errorf("error %v after asking %q; want one that names the missing file", err, asked)
	}
}

// Files that are no credentials, or of a kind that is not taken, say what to do.
func TestGoogleFiles(t *testing.T) {
	f := func(file, want string) {
		t.Helper()
		if _, err := FindCredentials("google", googleHost(file)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "/google.json") {
			t.Errorf("%s: error %v, want the file and %q", file, err, want)
		}
	}
	f(`{"type":"external_account"}`, "print-access-token")
	f(`{}`, "want service_account or authorized_user")
	f(`[`, "JSON")
	f(`{"type":"service_account","private_key":"none"}`, "key")
}
