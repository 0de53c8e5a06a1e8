package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// The identifiers of what is attested. A verifier compares them as text; they
// need not resolve.
const (
	payloadType         = "application/vnd.in-toto+json"
	provenancePredicate = "https://slsa.dev/provenance/v1"
	resultPredicate     = "https://assay.dev/attestation/benchmark-result/v1"
	buildType           = "https://assay.dev/run/v1"
	builderID           = "https://assay.dev/assay"
)

// predicateTypes lists what a signed bundle attests, in the order of the lines.
var predicateTypes = []string{provenancePredicate, resultPredicate}

// A resultStatement says what was found. It holds positive statements only: a
// check that is not listed as passed must be taken as not passed, so that
// cutting something out never makes a result look better.
type resultStatement struct {
	RunID        string                `json:"runID"`
	Status       Status                `json:"status"`
	SealedOn     string                `json:"sealedOn"`
	Launches     map[LaunchOutcome]int `json:"launches"`
	ChecksPassed []string              `json:"checksPassed"`
	Results      json.RawMessage       `json:"results,omitempty"`
	Claims       json.RawMessage       `json:"claims,omitempty"` // what may be quoted, with every condition
}

// attest returns the bytes of attestation.intoto.jsonl: one signed envelope per
// statement about the manifest m, whose bytes are text.
func attest(ctx context.Context, m *Manifest, text []byte, opts SealOptions) ([]byte, error) {
	how, err := provenanceOf(m)
	if err != nil {
		return nil, fmt.Errorf("provenance: %w", err)
	}
	found, err := resultOf(m, opts)
	if err != nil {
		return nil, fmt.Errorf("result statement: %w", err)
	}
	signer, err := dsse.NewEnvelopeSigner(dsseSigner{opts.Signer})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, predicate := range []*structpb.Struct{how, found} {
		payload, err := statementOf(m, text, predicateTypes[i], predicate)
		if err != nil {
			return nil, err
		}
		envelope, err := signer.SignPayload(ctx, payloadType, payload)
		if err != nil {
			return nil, fmt.Errorf("sign: %w", err)
		}
		line, err := json.Marshal(envelope)
		if err != nil {
			return nil, err
		}
		out.Write(append(line, '\n'))
	}
	return out.Bytes(), nil
}

// statementOf wraps a predicate about the manifest, its estimates and its claims. protojson
// varies its blanks on purpose, hence the canonical form.
func statementOf(m *Manifest, text []byte, predicateType string, predicate *structpb.Struct) ([]byte, error) {
	subject := []*intoto.ResourceDescriptor{resource(ManifestFile, hexSHA256(text))}
	for _, f := range m.Files {
		if isResult(f) {
			subject = append(subject, resource(f.Path, f.SHA256))
		}
	}
	statement := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subject, PredicateType: predicateType, Predicate: predicate}
	if err := statement.Validate(); err != nil {
		return nil, err
	}
	payload, err := protojson.Marshal(statement)
	if err != nil {
		return nil, err
	}
	return canonical(payload)
}

func isResult(f File) bool {
	return f.Role == RoleDerived && (path.Base(f.Path) == "estimates.json" || path.Base(f.Path) == "claims.json")
}

func resource(name, sha256 string) *intoto.ResourceDescriptor {
	return &intoto.ResourceDescriptor{Name: name, Digest: map[string]string{"sha256": sha256}}
}

// provenanceOf says how the bundle was made, in the words of SLSA.
func provenanceOf(m *Manifest) (*structpb.Struct, error) {
	external, err := structpb.NewStruct(map[string]any{
		"specDigest": m.SpecDigest, "planDigest": m.PlanDigest, "workloadDigest": m.WorkloadDigest,
	})
	if err != nil {
		return nil, err
	}
	p := &provenance.Provenance{
		BuildDefinition: &provenance.BuildDefinition{
			BuildType: buildType, ExternalParameters: external, ResolvedDependencies: dependencies(m.Inputs),
		},
		RunDetails: &provenance.RunDetails{
			Builder: &provenance.Builder{Id: builderID, Version: map[string]string{m.Tool.Name: m.Tool.Version}},
			Metadata: &provenance.BuildMetadata{
				InvocationId: m.RunID, StartedOn: timestamppb.New(m.Created), FinishedOn: timestamppb.New(m.Sealed),
			},
		},
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	text, err := protojson.Marshal(p)
	if err != nil {
		return nil, err
	}
	return structOf(text)
}

// dependencies lists the inputs whose digest is known.
func dependencies(in Inputs) []*intoto.ResourceDescriptor {
	var list []*intoto.ResourceDescriptor
	add := func(name, digest string) {
		if hex, ok := strings.CutPrefix(digest, "sha256:"); ok {
			list = append(list, resource(name, hex))
		}
	}
	for _, name := range sortedKeys(in.Images) {
		add(name, in.Images[name])
	}
	for _, one := range []*Input{in.Model, in.Tokenizer} {
		if one != nil {
			add(one.Name, one.Digest)
		}
	}
	for _, d := range in.Datasets {
		add(d.Name, d.Digest)
	}
	return list
}

func resultOf(m *Manifest, opts SealOptions) (*structpb.Struct, error) {
	s := resultStatement{
		RunID: m.RunID, Status: m.Status, SealedOn: m.Sealed.Format(timeFormat),
		Launches: map[LaunchOutcome]int{}, ChecksPassed: opts.Checks, Results: opts.Results, Claims: opts.Claims,
	}
	if s.ChecksPassed == nil {
		s.ChecksPassed = []string{}
	}
	for _, l := range m.Launches {
		s.Launches[l.Outcome]++
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return structOf(text)
}

func structOf(text []byte) (*structpb.Struct, error) {
	s := &structpb.Struct{}
	return s, protojson.Unmarshal(text, s)
}

// dsseSigner lets a Signer sign envelopes.
type dsseSigner struct{ Signer }

func (s dsseSigner) KeyID() (string, error) { return s.Public().ID, nil }
