package alert

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// slackText is text that Slack shows as it is: <!channel> in the name of a run must not
// ring for everybody.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slack posts what an incoming webhook takes: one text for notifications, and blocks of
// plain text, in which nothing is markup.
func slack(client *http.Client, address string) func(context.Context, Delivery) error {
	type plain struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type block struct {
		Type string `json:"type"`
		Text plain  `json:"text"`
	}
	return func(ctx context.Context, d Delivery) error {
		title := d.Alert.headline()
		body, err := json.Marshal(struct {
			Text   string  `json:"text"`
			Blocks []block `json:"blocks"`
		}{slackText.Replace(title), []block{
			{"header", plain{"plain_text", cut(title, 140)}},            // Slack takes 150 letters here
			{"section", plain{"plain_text", cut(d.Alert.body(), 2900)}}, // and 3000 here
		}})
		if err != nil {
			return refusal{err}
		}
		return post(ctx, client, address, body, http.Header{})
	}
}
