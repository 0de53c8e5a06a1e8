package assistant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"assay/unit"
)

// A Job is one run to carry out.
type Job struct {
	File     string            // the document
	Quick    bool              // one launch, nothing of which may be quoted
	Progress func(line string) // is called with what a person would see of it
}

// A Runner measures in a process of its own and returns the folder of the bundle, also
// of a run that failed and left one.
type Runner func(ctx context.Context, job Job) (dir string, err error)

type runAsk struct {
	Document string `json:"document,omitempty" jsonschema:"the BenchmarkRun itself, YAML or JSON"`
	File     string `json:"file,omitempty" jsonschema:"a file in one of the server's folders, in place of document"`
	Planned  string `json:"planned" jsonschema:"documentDigest as plan answered it: what is run is what was planned"`
	Quick    bool   `json:"quick,omitempty" jsonschema:"one launch: no interval, and nothing of it may be quoted"`
}

// A ran is what run answers.
type ran struct {
	Failed  string   `json:"failed,omitempty" jsonschema:"why the run did not come to its end; what it recorded is sealed all the same"`
	Results reported `json:"results"`
}

// addRun offers runs.
func addRun(s *Server, t tool) {
	yes := true
	mcp.AddTool(s.mcp, &mcp.Tool{
		Name: t.name, Title: t.title, Description: t.doc, InputSchema: inputSchema[runAsk](),
		Annotations: &mcp.ToolAnnotations{Title: t.title, DestructiveHint: &yes, OpenWorldHint: &yes},
	}, s.run)
}

// question is the name of what the user is asked.
const question = "run"

func (s *Server) run(ctx context.Context, req *mcp.CallToolRequest, ask runAsk) (*mcp.CallToolResult, ran, error) {
	if s.opts.Run == nil {
		return nil, ran{}, errors.New("this server does not measure: its owner must start it with assay mcp --allow-run. The same run from a shell: assay run FILE")
	}
	name, text, err := documentAsk{ask.Document, ask.File}.read(s.access)
	if err != nil {
		return nil, ran{}, err
	}
	p, err := planOf(name, text)
	if err != nil {
		return nil, ran{}, err
	}
	if p.Document != ask.Planned {
		return nil, ran{}, fmt.Errorf("planned is %q and the document has the digest %s: call plan, look at what it will do, and pass its documentDigest", shorten(ask.Planned), p.Document)
	}
	if canAsk(req.Session) {
		answer, asked := req.Params.InputResponses[question].(*mcp.ElicitResult)
		if !asked {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{question: asking(p, ask.Quick)}}, ran{}, nil
		}
		if agreed, _ := answer.Content[question].(bool); answer.Action != "accept" || !agreed {
			return nil, ran{}, errors.New("the user did not agree to the run: nothing was measured")
		}
	}
	file, done, err := s.place(ask, text)
	if err != nil {
		return nil, ran{}, err
	}
	defer done()
	out, err := s.measure(ctx, Job{File: file, Quick: ask.Quick, Progress: progress(ctx, req)})
	return nil, out, err
}

// canAsk reports whether the client can put a question to its user.
func canAsk(session *mcp.ServerSession) bool {
	p := session.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// asking is the question whether a plan shall be carried out.
func asking(p planned, quick bool) *mcp.ElicitParams {
	what := fmt.Sprintf("Measure %q now? It puts %s under load for about %s", p.Name, orUnnamed(p.Target), unit.Format(p.Seconds, unit.Second))
	if p.Requests > 0 {
		what += fmt.Sprintf(" with %d requests", p.Requests)
	}
	if p.CostUSD != nil {
		what += ", for about " + unit.Format(*p.CostUSD, unit.Dollar)
	}
	if quick {
		what += " at most (a quick look makes one launch)"
	}
	return &mcp.ElicitParams{
		Message: what + ". Programs that the document names are started. Document " + p.Document + ".",
		RequestedSchema: &jsonschema.Schema{
			Type: "object", Required: []string{question},
			Properties: map[string]*jsonschema.Schema{question: {Type: "boolean", Title: "Measure"}},
		},
	}
}

func orUnnamed(target string) string {
	if target == "" {
		return "this machine, or what the document names,"
	}
	return target
}

// place is a file with the text that was looked at: the one that was named may have
// changed since. It lies beside that one, since a document names files from its folder.
func (s *Server) place(ask runAsk, text []byte) (file string, done func(), err error) {
	folder := s.access.folders[0]
	if ask.File != "" {
		real, err := s.access.within(ask.File)
		if err != nil {
			return "", nil, err
		}
		folder = filepath.Dir(real)
	}
	f, err := os.CreateTemp(folder, ".assay-asked-*.yaml")
	if err != nil {
		return "", nil, err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", nil, errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), func() { os.Remove(f.Name()) }, nil // a copy that stays does no harm
}

// measure runs a job alone on the machine, and judges what it left.
func (s *Server) measure(ctx context.Context, job Job) (ran, error) {
	if !s.measuring.TryLock() {
		return ran{}, errors.New("the machine is busy with another run or question: ask again when it has ended")
	}
	dir, err := s.alone(ctx, job)
	if dir == "" {
		return ran{}, err
	}
	var out ran
	if err != nil {
		out.Failed = err.Error()
	}
	err = s.compute(ctx, func() error {
		j, v, err := s.opened(ctx, dir)
		if err == nil {
			out.Results = reportOf(j, v, reportAsk{})
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("the run is in %s, and cannot be shown: %w", dir, err)
	}
	return out, err
}

// alone carries out a job while the machine is ours, until it or the server ends.
func (s *Server) alone(ctx context.Context, job Job) (string, error) {
	defer s.measuring.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case <-s.ending:
			cancel(errors.New("the server ends"))
		case <-ctx.Done():
		}
	}()
	defer func() {
		cancel(nil)
		<-watching
	}()
	return s.opts.Run(ctx, job)
}

// progress sends what a run says to a client that wants to know.
func progress(ctx context.Context, req *mcp.CallToolRequest) func(string) {
	token, lines := req.Params.GetProgressToken(), 0
	return func(line string) {
		if line = strings.TrimSpace(line); token == nil || line == "" {
			return
		}
		lines++
		// One that does not arrive is no reason to end a run.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(lines), Message: line})
	}
}
