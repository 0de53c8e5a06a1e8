package alert

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The headers of a webhook.
const (
	SignatureHeader = "Assay-Signature" // t=SECONDS,v1=HEX
	DeliveryHeader  = "Assay-Delivery"  // the same in every try
)

// version is that of the JSON of a webhook.
const version = "1.0"

// A Message is what a webhook gets.
type Message struct {
	Version string `json:"version"`
	Alert
}

// webhook posts a Message. With a key it is signed together with the time of the try, so
// that an old one cannot be played again.
func webhook(client *http.Client, address, key string) func(context.Context, Delivery) error {
	return func(ctx context.Context, d Delivery) error {
		body, err := json.Marshal(Message{version, d.Alert})
		if err != nil {
			return refusal{err}
		}
		header := http.Header{}
		header.Set(DeliveryHeader, d.ID)
		if key != "" {
			header.Set(SignatureHeader, Sign(key, time.Now(), body))
		}
		return post(ctx, client, address, body, header)
	}
}

// Sign is the header that proves who sent a body, and when.
func Sign(key string, at time.Time, body []byte) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	return fmt.Sprintf("t=%s,v1=%s", seconds, hex.EncodeToString(mac.Sum(nil)))
}
