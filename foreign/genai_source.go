package foreign

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/bundle"
	"assay/spec"
	"assay/unit"
)

// genaiGaps are what no folder of genai-bench tells, and what these do not.
func genaiGaps(read []genaiExperiment) []bundle.Gap {
	list := []bundle.Gap{
		{ID: bundle.GapSendTimes, Detail: "a row has no start time: there is no time series, no steady state and no time in flight"},
		{ID: bundle.GapDueTimes, Detail: "latency counts from just before the HTTP call, with the opening of a connection for each request"},
		{ID: bundle.GapChunks, Detail: "of an answer only the first token and the end are stamped: no gap between tokens, no stall, no jitter"},
		{ID: bundle.GapTokens, Detail: "usage, or else the tokenizer: which of them counted is not stored"},
		{ID: bundle.GapClient, Detail: "load, parsing and statistics share one process, which does not say when it was the limit"},
		{ID: bundle.GapHost, Detail: "engine, version and GPU are labels that somebody typed; the machine is not described"},
		{ID: bundle.GapSeed, Detail: "there is no seed, and prompts are not kept"},
		{ID: bundle.GapServer, Detail: "the server's own counters are not read"},
	}
	if slices.ContainsFunc(read, func(e genaiExperiment) bool {
		return slices.ContainsFunc(e.runs, func(r genaiRunOf) bool { return !r.kept.found })
	}) {
		list = append(list, bundle.Gap{ID: bundle.GapWarmup, Detail: "ramp and drain are part of the run: no warm-up was cut, or not in a way that its rows reproduce"})
	}
	if len(read) == 1 {
		list = append(list, bundle.Gap{ID: bundle.GapReplicates, Detail: "each level was run once; import several folders of one experiment as launches"})
	}
	if backend := read[0].meta.Backend; slices.Contains(genaiSDKs, backend) {
		list = append(list, bundle.Gap{ID: bundle.GapRetries, Detail: "the SDK of " + backend + " sends again by itself"})
	}
	return list
}

// genaiSDKs are the backends that speak through a vendor's SDK.
var genaiSDKs = []string{"aws-bedrock", "oci-cohere", "oci-cohere-v2", "oci-genai", "oci-openai"}

// genaiNotes are what is known of every folder.
var genaiNotes = []string{
	"rates are computed again over all successful rows and the whole run_duration, those of a warm-up too, since no row tells when it was sent; percentiles by assay's rule (rank ⌈qn⌉, genai-bench interpolates)",
	"an answer of at most one token, without text, or of tool calls alone was counted by genai-bench as neither success nor failure: it is not here",
	"requests in flight at the end of a run were aborted and not counted: long ones are under-represented",
}

// run is the question as the metadata tells it.
func (e genaiExperiment) run(read []genaiExperiment) spec.Run {
	no := false
	out := spec.Run{APIVersion: spec.APIVersion, Kind: spec.KindBenchmarkRun}
	out.Metadata.Name = plainName(genaiName(e))
	w := &out.Spec.Workload
	w.Model = e.meta.APIModel
	if w.Model == "" {
		w.Model = e.meta.Model
	}
	w.ConcurrencyModel = spec.ClosedLoop
	w.Prompt.Task = e.meta.Task
	out.Spec.Load = &spec.Load{
		Duration: unit.Duration(time.Duration(max(1, e.meta.MostSeconds)) * time.Second), Requests: max(0, e.meta.MostRequests),
		Warmup: &spec.Warmup{}, Calibrate: &no,
	}
	for _, p := range genaiPoints(read) {
		if !slices.Contains(out.Spec.Load.Concurrency, p.Concurrency) {
			out.Spec.Load.Concurrency = append(out.Spec.Load.Concurrency, p.Concurrency)
		}
	}
	slices.Sort(out.Spec.Load.Concurrency)
	// What the spec has no words for stays out of it; the points name it all the same.
	try(&out, func(r *spec.Run) { r.Spec.Workload.Prompt.Scenario = e.runs[0].Aggregate.Scenario })
	try(&out, func(r *spec.Run) { r.Spec.Target = e.target() })
	return out
}

// try makes a change where the document stays valid with it.
func try(run *spec.Run, change func(*spec.Run)) {
	changed := *run
	change(&changed)
	if spec.Valid(spec.Check(changed)) {
		*run = changed
	}
}

// genaiName is the name of the experiment's folder.
func genaiName(e genaiExperiment) string {
	if name := lastPart(e.meta.Folder); name != "" {
		return name
	}
	return lastPart(e.folder)
}

func lastPart(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// plainName is a name that a document may have.
func plainName(name string) string {
	name = strings.Trim(odd.ReplaceAllString(name, "-"), "-.")
	if name == "" {
		return "unnamed"
	}
	return name[:min(len(name), 100)]
}

// target is the endpoint that was asked; nil when the command does not tell it.
func (e genaiExperiment) target() *spec.Target {
	found := genaiBase.FindStringSubmatch(e.meta.Command)
	if found == nil {
		return nil
	}
	address, err := url.Parse(found[1])
	if err != nil {
		return nil
	}
	return &spec.Target{URL: address.Scheme + "://" + address.Host, API: e.api(), Model: e.meta.APIModel}
}

var genaiBase = regexp.MustCompile(`--api-base[ =](\S+)`)

// api is our name for what the backend speaks.
func (e genaiExperiment) api() string {
	if api, ok := map[string]string{
		"azure-openai": "azure-openai", "aws-bedrock": "aws-bedrock", "gcp-vertex": "gcp-vertex",
		"oci-genai": "oci-genai", "oci-cohere": "oci-cohere", "oci-cohere-v2": "oci-cohere", "cohere": "cohere-chat",
	}[e.meta.Backend]; ok {
		return api
	}
	return map[string]string{
		spec.TextToEmbeddings: "openai-embeddings", spec.ImageToEmbeddings: "openai-embeddings", spec.TextToRerank: "rerank",
		spec.TextToImage: "openai-images", spec.TextToSpeech: "openai-speech",
	}[e.meta.Task] // none is openai-chat, the default
}

var (
	genaiOption  = regexp.MustCompile(`(--[a-z][a-z-]*)([ =])`)
	secretOption = regexp.MustCompile(`key|token$|secret|password|credential|security`)
	plainAuth    = []string{"auth_type", "has_api_key", "api_version", "region", "location"}
)

// redactGenaiMetadata takes the secrets out of the metadata: genai-bench writes
// every option with its value into cmd, unquoted, those from the environment too.
func redactGenaiMetadata(data []byte) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	if command, ok := all["cmd"].(string); ok {
		all["cmd"] = redactGenaiCommand(command)
	}
	if auth, ok := all["auth_config"].(map[string]any); ok {
		for name := range auth {
			if !slices.Contains(plainAuth, name) {
				auth[name] = bundle.Redacted
			}
		}
	}
	return json.MarshalIndent(all, "", "    ")
}

// redactGenaiCommand replaces the values of secret options. A value reaches to
// the next option, since it may hold spaces.
func redactGenaiCommand(command string) string {
	options := genaiOption.FindAllStringSubmatchIndex(command, -1)
	var b strings.Builder
	from := 0
	for i, at := range options {
		name := command[at[2]:at[3]]
		if !secretOption.MatchString(name) || name == "--model-tokenizer" {
			continue
		}
		end := len(command)
		if i+1 < len(options) {
			end = options[i+1][0]
		}
		b.WriteString(command[from:at[1]])
		b.WriteString(bundle.Redacted)
		if end < len(command) {
			b.WriteByte(' ')
		}
		from = end
	}
	b.WriteString(command[from:])
	return b.String()
}
