package bundle

import (
	"strings"

	"assay/record"
)

// A cleaner removes secrets from the text columns of rows, in place. It is used
// by one goroutine.
type cleaner struct {
	redactor *Redactor
	seen     map[string]string
}

// maxSeen bounds the memory of a cleaner. Columns cleaned through word hold a
// handful of values; one that holds more is still cleaned, only slower.
const maxSeen = 4096

func newCleaner(r *Redactor) *cleaner {
	return &cleaner{r, map[string]string{}}
}

// word cleans a column that repeats few values, looking at each value once.
func word[S ~string](c *cleaner, s *S) {
	text := string(*s)
	if text == "" {
		return
	}
	clean, ok := c.seen[text]
	if !ok {
		clean = c.redactor.String(text)
		if len(c.seen) < maxSeen {
			c.seen[strings.Clone(text)] = clean
		}
	}
	if clean != text {
		*s = S(clean)
	}
}

func (c *cleaner) requests(rows []record.Request) {
	for i := range rows {
		r := &rows[i]
		word(c, &r.Phase)
		word(c, &r.Result)
		word(c, &r.FinishReason)
		word(c, &r.Model)
		word(c, &r.Fingerprint)
		word(c, &r.Flags)
		word(c, &r.Stamps)
		word(c, &r.Protocol)
		word(c, &r.Host)
		r.Error = c.redactor.String(r.Error)
		r.ServerID = c.redactor.String(r.ServerID)
		r.TraceID = c.redactor.String(r.TraceID)
		r.Text = c.redactor.Prose(r.Text)
		r.Logprobs = c.redactor.Prose(r.Logprobs)
	}
}

func (c *cleaner) asks(rows []record.Ask) {
	for i := range rows {
		r := &rows[i]
		word(c, &r.Task)
		word(c, &r.Group)
		word(c, &r.Cluster)
		word(c, &r.Stop)
		r.Item = c.redactor.Prose(r.Item)
		r.Prompt = c.redactor.Prose(r.Prompt)
		r.Said = c.redactor.Prose(r.Said)
		r.Key = c.redactor.Prose(r.Key)
	}
}

// chunks looks at a kind only when it differs from the one before it: this is
// the table with millions of rows.
func (c *cleaner) chunks(rows []record.Chunk) {
	var last record.ChunkKind
	for i := range rows {
		if rows[i].Kind != last {
			word(c, &rows[i].Kind)
			last = rows[i].Kind
		}
	}
}

func (c *cleaner) steps(rows []record.Step) {
	for i := range rows {
		word(c, &rows[i].Phase)
		word(c, &rows[i].Clock)
	}
}

func (c *cleaner) collectives(rows []record.Collective) {
	for i := range rows {
		r := &rows[i]
		word(c, &r.Phase)
		word(c, &r.Op)
		word(c, &r.Algorithm)
		word(c, &r.DataType)
		word(c, &r.Clock)
		word(c, &r.Emulate)
		word(c, &r.Protocol)
		word(c, &r.Setting)
	}
}

func (c *cleaner) memory(rows []record.Memory) {
	for i := range rows {
		word(c, &rows[i].Device)
		word(c, &rows[i].Outcome)
	}
}

func (c *cleaner) trials(rows []record.Trial) {
	for i := range rows {
		r := &rows[i]
		word(c, &r.Phase)
		word(c, &r.Probe)
		word(c, &r.Variant)
		word(c, &r.Scope)
		word(c, &r.Clock)
	}
}

func (c *cleaner) ranks(rows []record.Rank) {
	for i := range rows {
		r := &rows[i]
		for _, s := range []*string{&r.Host, &r.Backend, &r.Device, &r.DeviceID, &r.Library, &r.CommLib, &r.BootID, &r.TimeNS, &r.Signal, &r.Verdict, &r.Driver, &r.Launcher, &r.Affinity} {
			word(c, s)
		}
		r.Tuning = c.redactor.String(r.Tuning)
		r.Error = c.redactor.String(r.Error)
	}
}

func (c *cleaner) generators(rows []record.Generator) {
	for i := range rows {
		r := &rows[i]
		for _, s := range []*string{&r.Host, &r.BootID, &r.TimeNS, &r.Verdict} {
			word(c, s)
		}
		r.Error = c.redactor.String(r.Error)
	}
}

func (c *cleaner) pings(rows []record.Ping) {
	for i := range rows {
		word(c, &rows[i].When)
	}
}

func (c *cleaner) sessions(rows []record.SessionStep) {
	for i := range rows {
		r := &rows[i]
		word(c, &r.Phase)
		word(c, &r.Began)
		word(c, &r.Kind)
		word(c, &r.Parents)
		word(c, &r.Tool)
		word(c, &r.Result)
		r.Name = c.redactor.String(r.Name)
		r.Error = c.redactor.String(r.Error)
	}
}

func (c *cleaner) samples(rows []record.Sample) {
	for i := range rows {
		r := &rows[i]
		word(c, &r.Source)
		word(c, &r.Name)
		word(c, &r.Scope)
		word(c, &r.Unit)
	}
}

func (c *cleaner) events(rows []record.Event) {
	for i := range rows {
		word(c, &rows[i].Name)
		rows[i].Detail = c.redactor.String(rows[i].Detail)
	}
}
