package target

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestSigV4 uses the vectors that Amazon publishes for version 4 of its
// signature (access key AKIDEXAMPLE, 30 August 2015), and one request to Bedrock
// as Amazon's Python client signs it.
func TestSigV4(t *testing.T) {
	tests := []struct {
		name, method, url, kind, body string
		service, token                string
		signed, want                  string
	}{
		{"get-vanilla", "GET", "https://example.amazonaws.com/", "", "", "service", "",
			"host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key-case", "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "", "", "service", "",
			"host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"get-unreserved", "GET", "https://example.amazonaws.com/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "", "", "service", "",
			"host;x-amz-date", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
		{"get-vanilla-utf8-query", "GET", "https://example.amazonaws.com/?ሴ=bar", "", "", "service", "",
			"host;x-amz-date", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
		{"post-vanilla", "POST", "https://example.amazonaws.com/", "", "", "service", "",
			"host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		{"post-x-www-form-urlencoded", "POST", "https://example.amazonaws.com/", "application/x-www-form-urlencoded", "Param1=value1", "service", "",
			"content-type;host;x-amz-date", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
		{"list users", "GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", "application/x-www-form-urlencoded; charset=utf-8", "", "iam", "",
			"content-type;host;x-amz-date", "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
		{"a model with a colon, and a session", "POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream",
			"application/json", `{"messages":[]}`, "bedrock", "TOKEN",
			"content-type;host;x-amz-date;x-amz-security-token", "7facf70e333bd845790a9190730625075f1c20020af41c36b4d7330c6191df13"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			r := &http.Request{Method: tt.method, URL: u, Host: u.Host, Header: http.Header{"X-Other": {"not signed"}}}
			if tt.kind != "" {
				r.Header.Set("Content-Type", tt.kind)
			}
			s := sigV4{
				keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token: tt.token,
				region: "us-east-1", service: tt.service,
				now: func() time.Time { return time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC) },
			}
			if err := s.Sign(r, []byte(tt.body)); err != nil {
				t.Fatal(err)
			}
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + tt.service +
				"/aws4_request, SignedHeaders=" + tt.signed + ", Signature=" + tt.want
			if got := r.Header.Get("Authorization"); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestHostRegion(t *testing.T) {
	f := func(host, want string) {
		t.Helper()
		if got := hostRegion(host); got != want {
			t.Errorf("hostRegion(%q) = %q, want %q", host, got, want)
		}
	}
	f("bedrock-runtime.eu-west-1.amazonaws.com", "eu-west-1")
	f("bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1")
	f("vpce-1-2.bedrock-runtime.us-east-2.vpce.amazonaws.com", "")
	f("iam.amazonaws.com", "")
	f("127.0.0.1", "")
}

// A host without a region and an environment without one cannot be signed for.
func TestSigV4WantsARegion(t *testing.T) {
	u, err := url.Parse("http://127.0.0.1:1/model/m/converse")
	if err != nil {
		t.Fatal(err)
	}
	r := &http.Request{Method: "POST", URL: u, Host: u.Host, Header: http.Header{}}
	if err := (sigV4{now: time.Now}).Sign(r, nil); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Errorf("error %v, want one that names AWS_REGION", err)
	}
}
