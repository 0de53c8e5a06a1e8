package spec

import "assay/unit"

// A Target is the system under test: an endpoint that is already there, or a
// server that assay starts for each launch.
type Target struct {
	// The base URL of the endpoint, such as http://127.0.0.1:8000.
	URL string `json:"url,omitzero" example:"http://127.0.0.1:8000"`

	// Several base URLs, used in turn. Either url or urls is given.
	URLs []string `json:"urls,omitzero"`

	// The API the endpoint speaks. vLLM and most other servers speak openai-chat.
	API string `json:"api,omitzero" default:"openai-chat" enum:"apis"`

	// The model name sent to the endpoint. By default workload.model.
	Model string `json:"model,omitzero"`

	// Headers sent with every request; a value is text, {env: NAME} or
	// {file: PATH}.
	Headers map[string]Secret `json:"headers,omitzero"`

	// Query parameters added to every URL; values as for headers.
	Query map[string]Secret `json:"query,omitzero"`

	// How assay proves who it is.
	Auth Auth `json:"auth,omitzero"`

	// How the connection is secured.
	TLS TLS `json:"tls,omitzero"`

	// Speak HTTP/2 and nothing else: negotiated with https, by prior knowledge
	// with http. Its streams share connections.
	HTTP2 bool `json:"http2,omitzero"`

	// The proxy that every connection goes through, such as
	// http://proxy.example:3128. By default none: the environment's are ignored.
	Proxy string `json:"proxy,omitzero" example:"http://127.0.0.1:3128"`

	// How answers are read and stamped: net/http by Go's own client, epoll by
	// assay's after the read, epoll+kernel as the bytes reached the host. By
	// default the best that the target allows; epoll takes plain HTTP/1.1 only.
	Reader string `json:"reader,omitzero" enum:"readers"`

	// Send a W3C traceparent header with every request, so that the server's traces
	// can be joined with the table of requests; one in headers takes its place. A
	// server that exports its traces does so for each request.
	Traceparent *bool `json:"traceparent,omitzero" default:"true"`

	// Fields added to the body of every request as they are.
	ExtraBody map[string]any `json:"extraBody,omitzero"`

	// Fields that are never sent, such as ignore_eos, for servers that refuse what
	// they do not know.
	OmitBody []string `json:"omitBody,omitzero"`

	// The longest a request may take from being sent to its last byte.
	Timeout unit.Duration `json:"timeout,omitzero" default:"10m" above:"0s" max:"30d"`

	// The longest silence inside a request.
	IdleTimeout unit.Duration `json:"idleTimeout,omitzero" default:"1m" above:"0s" max:"30d"`

	// The most that the body of one answer may have, as it comes and unpacked. A
	// longer one is given up and counted as too_large.
	AnswerLimit unit.Bytes `json:"answerLimit,omitzero" default:"64MiB" above:"0B" max:"1GiB"`

	// A server that assay starts, waits for and stops. With api command it is the
	// program that answers, and there is no url.
	Server *Server `json:"server,omitzero"`

	// The counters that the target publishes about itself.
	Metrics ServerMetrics `json:"metrics,omitzero"`

	// What stands behind the address: hardware, engine and deployment.
	System System `json:"system,omitzero"`
}

// Auth says how assay proves who it is to the target.
type Auth struct {
	// none, bearer (Authorization: Bearer …), header (a header of its own), or a
	// cloud: aws, azure, google, oci. A cloud's credentials are found as its own
	// clients find them, in the environment and then in files.
	Kind string `json:"kind,omitzero" default:"none" enum:"authKinds"`

	// The header that carries the credential, for kind header.
	Header string `json:"header,omitzero" example:"X-API-Key"`

	// The environment variable that holds the credential.
	Env string `json:"env,omitzero" example:"API_KEY"`

	// The file that holds the credential.
	File string `json:"file,omitzero"`
}

// TLS says how the connection is secured.
type TLS struct {
	// A PEM file of certificate authorities to trust instead of the system's.
	CAFile string `json:"caFile,omitzero"`

	// A PEM client certificate.
	CertFile string `json:"certFile,omitzero"`

	// The key of the client certificate.
	KeyFile string `json:"keyFile,omitzero"`

	// Accept any certificate; refused for publication grade.
	InsecureSkipVerify bool `json:"insecureSkipVerify,omitzero"`

	// The name expected in the server's certificate, where it differs from the
	// URL's host.
	ServerName string `json:"serverName,omitzero"`
}

// A Server is a process assay starts as the target.
type Server struct {
	// The program and its arguments; no shell is involved.
	Command []string `json:"command" required:"true" items:"1"`

	// Variables added to the server's environment; values as for headers.
	Env map[string]Secret `json:"env,omitzero"`

	// The directory the server starts in.
	Dir string `json:"dir,omitzero"`

	// The processors that the server may run on; its accelerators are chosen by
	// CUDA_VISIBLE_DEVICES in env.
	Pin *Pin `json:"pin,omitzero"`

	// How assay learns that the server is ready.
	Ready Ready `json:"ready,omitzero"`

	// Start the server anew for each launch (launch) or once for all (run).
	// Launches are the replicates only when the server is new in each.
	Restart string `json:"restart,omitzero" default:"launch" enum:"restarts"`

	// How long the server may take to stop before it is killed.
	StopTimeout unit.Duration `json:"stopTimeout,omitzero" default:"10s" above:"0s" max:"30d"`

	// How the server is asked right after its start, before any load.
	Cold Cold `json:"cold,omitzero"`
}

// Ready says when a server may be asked.
type Ready struct {
	// The path that answers 200 once the server is ready.
	Path string `json:"path,omitzero" default:"/health" pattern:"^/" form:"a path that begins with /"`

	// How long readiness may take.
	Timeout unit.Duration `json:"timeout,omitzero" default:"5m" above:"0s" max:"30d"`

	// The pause between two looks.
	Interval unit.Duration `json:"interval,omitzero" default:"250ms" above:"0s" max:"1d"`
}
