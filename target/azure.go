package target

import "net/url"

// azure is OpenAI's chat as Azure serves it: the deployment, which the run names
// as its model, stands in the path, and every request names a version of the
// API.
type azure struct{ openAI }

var _ Dialect = azure{}

// azureVersion is the newest version of the API that is not a preview.
const azureVersion = "2024-10-21"

func (azure) Path() string { return "/openai/deployments/MODEL/chat/completions" }

func (azure) Shape(ask Ask) Shape {
	return Shape{
		Path:  "/openai/deployments/" + url.PathEscape(ask.Model) + "/chat/completions",
		Query: url.Values{"api-version": {azureVersion}},
	}
}
