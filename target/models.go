package target

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// A Served is one model that a server lists.
type Served struct {
	ID        string `json:"id"`
	OwnedBy   string `json:"owned_by"`      // the engine, with many servers
	MaxLength int    `json:"max_model_len"` // tokens of prompt and answer together; zero when the server does not say
}

// mostModels bounds what a list of models may have, in bytes.
const mostModels = 1 << 20

// Models asks the server whose base URL is raw for the models that it serves, as
// OpenAI's API lists them.
func Models(ctx context.Context, client *http.Client, raw string, header http.Header) ([]Served, error) {
	u, err := Below(raw, "/v1/models")
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = header.Clone()
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET /v1/models: %s", resp.Status)
	}
	var list struct {
		Data []Served `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, mostModels)).Decode(&list); err != nil {
		return nil, fmt.Errorf("GET /v1/models: %w", err)
	}
	return list.Data, nil
}
