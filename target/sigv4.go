package target

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// sigV4 signs requests as Amazon's services want it, version 4.
type sigV4 struct {
	keyID, secret, token string
	region, service      string
	now                  func() time.Time
}

var _ Signer = sigV4{}

const sigV4Algorithm = "AWS4-HMAC-SHA256"

// Sign implements Signer. It covers the host, the type of the content and every
// header of Amazon's own; what else a request carries, proxies may change.
func (s sigV4) Sign(r *http.Request, body []byte) error { return s.sign(r, hexSum(body)) }

// SignS3 signs a request to an object store by the keys and the region that lookup, which
// is os.LookupEnv or like it, has under the names that Amazon's own tools use. Sum is the
// SHA-256 of the body in hexadecimal digits; the path must need no escaping.
func SignS3(r *http.Request, sum string, lookup func(string) (string, bool), now time.Time) error {
	value := func(name string) string {
		text, _ := lookup(name)
		return text
	}
	s := sigV4{
		keyID: value("AWS_ACCESS_KEY_ID"), secret: value("AWS_SECRET_ACCESS_KEY"), token: value("AWS_SESSION_TOKEN"),
		region: cmp.Or(value("AWS_REGION"), value("AWS_DEFAULT_REGION"), "us-east-1"), service: "s3", now: func() time.Time { return now },
	}
	if s.keyID == "" || s.secret == "" {
		return errors.New("no keys for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	r.Header.Set("X-Amz-Content-Sha256", sum)
	return s.sign(r, sum)
}

// sign signs a request whose body has the digest sum.
func (s sigV4) sign(r *http.Request, sum string) error {
	now := s.now().UTC()
	region := hostRegion(r.URL.Hostname())
	if region == "" {
		region = s.region
	}
	if region == "" {
		return fmt.Errorf("the host %q names no region of AWS: set AWS_REGION", r.URL.Hostname())
	}
	r.Header.Set("X-Amz-Date", now.Format("20060102T150405Z"))
	if s.token != "" {
		r.Header.Set("X-Amz-Security-Token", s.token)
	}
	canonical, signed := canonicalRequest(r, sum)
	day := now.Format("20060102")
	scope := strings.Join([]string{day, region, s.service, "aws4_request"}, "/")
	text := strings.Join([]string{sigV4Algorithm, now.Format("20060102T150405Z"), scope, hexSum([]byte(canonical))}, "\n")
	key := []byte("AWS4" + s.secret)
	for _, part := range []string{day, region, s.service, "aws4_request"} {
		key = keyedSum(key, part)
	}
	r.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
		sigV4Algorithm, s.keyID, scope, signed, hex.EncodeToString(keyedSum(key, text))))
	return nil
}

// canonicalRequest writes a request in the one form that both sides sign, and
// names the headers in it.
func canonicalRequest(r *http.Request, sum string) (canonical, signed string) {
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		lower := strings.ToLower(name)
		if lower == "content-type" || strings.HasPrefix(lower, "x-amz-") {
			var trimmed []string
			for _, value := range values {
				trimmed = append(trimmed, strings.Join(strings.Fields(value), " "))
			}
			headers[lower] = strings.Join(trimmed, ",")
		}
	}
	var names []string
	for name := range headers {
		names = append(names, name)
	}
	slices.Sort(names)
	var lines strings.Builder
	for _, name := range names {
		lines.WriteString(name + ":" + headers[name] + "\n")
	}
	signed = strings.Join(names, ";")
	// The path is escaped once more than it is sent.
	path := "/"
	if sent := r.URL.EscapedPath(); sent != "" {
		path = awsEscape(sent, true)
	}
	return strings.Join([]string{r.Method, path, canonicalQuery(r.URL.Query()), lines.String(), signed, sum}, "\n"), signed
}

func canonicalQuery(query url.Values) string {
	var pairs []string
	for name, values := range query {
		for _, value := range values {
			pairs = append(pairs, awsEscape(name, false)+"="+awsEscape(value, false))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// awsEscape escapes all but the characters that RFC 3986 leaves alone.
func awsEscape(text string, isPath bool) string {
	var out strings.Builder
	for _, b := range []byte(text) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("-._~", b) >= 0, isPath && b == '/':
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// hostRegion is the region in the name of a regional endpoint, such as
// bedrock-runtime.eu-west-1.amazonaws.com.
func hostRegion(host string) string {
	front, ok := strings.CutSuffix(host, ".amazonaws.com")
	if !ok {
		return ""
	}
	parts := strings.Split(front, ".")
	if last := parts[len(parts)-1]; len(parts) > 1 && strings.Count(last, "-") >= 2 {
		return last
	}
	return ""
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func keyedSum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
