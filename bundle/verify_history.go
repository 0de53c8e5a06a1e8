package bundle

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"assay/intake"
)

// ledger compares the launches of the manifest with the ledger, and their rows
// with the tables.
func (v *verifier) ledger() {
	if !v.intact[LedgerFile] && v.index(LedgerFile) >= 0 {
		return // reported as changed
	}
	var text []byte
	if v.intact[LedgerFile] {
		var err error
		if text, err = intake.ReadIn(v.root, filepath.FromSlash(LedgerFile), mostLedger); err != nil {
			v.fail("ledger", LedgerFile, "%v", err)
			return
		}
	}
	launches, whole, err := parseLedger(text)
	switch {
	case err != nil:
		v.fail("ledger", LedgerFile, "%v", err)
		return
	case whole != len(text):
		v.fail("ledger", LedgerFile, "ends in a torn line")
		return
	case !sameJSON(launches, v.manifest.Launches):
		v.fail("ledger", LedgerFile, "names other launches than the manifest")
		return
	}
	if v.launchRows() {
		v.pass("ledger", "%d launches, %s", len(launches), outcomes(launches))
	}
}

func sameJSON(a, b []LaunchInfo) bool {
	if len(a) == 0 && len(b) == 0 {
		return true
	}
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && string(x) == string(y)
}

func outcomes(launches []LaunchInfo) string {
	count := map[string]int{}
	for _, l := range launches {
		count[string(l.Outcome)]++
	}
	text := "none"
	for i, name := range sortedKeys(count) {
		if i == 0 {
			text = ""
		} else {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", count[name], name)
	}
	return text
}

// launchRows compares the rows each launch says it wrote with those it has. A
// killed launch says nothing, and what a damaged file held is noted as lost.
func (v *verifier) launchRows() bool {
	type key struct {
		launch int
		table  string
	}
	have, damaged := map[key]int64{}, map[key]bool{}
	for _, f := range v.manifest.Files {
		k := key{deref(f.Launch), f.Table}
		have[k] += deref(f.Rows)
		damaged[k] = damaged[k] || f.Role == RoleDamaged
	}
	good := true
	for _, l := range v.manifest.Launches {
		for _, table := range sortedKeys(l.Rows) {
			k := key{l.Index, table}
			if got := have[k]; got != l.Rows[table] && !damaged[k] {
				good = false
				v.fail("ledger", LedgerFile, "launch %d wrote %d rows of %s, the bundle holds %d", l.Index+1, l.Rows[table], table, got)
			}
		}
	}
	return good
}

// times checks that the plan was frozen before the first launch, that launches
// end after they start, and that the bundle was sealed last. Parts were made by hosts with
// clocks of their own: their launches are held against those of the same part. None can be
// of the future.
func (v *verifier) times(now time.Time) {
	m, good := v.manifest, true
	bad := func(format string, args ...any) {
		good = false
		v.fail("times", ManifestFile, format, args...)
	}
	parts := map[string]bool{}
	for _, p := range m.Parts {
		parts[p.RunID] = true
	}
	before := map[string]time.Time{}
	for _, l := range m.Launches {
		clock := "" // whose it is
		if parts[l.From] {
			clock = l.From
		}
		previous := before[clock]
		before[clock] = l.Started
		switch {
		case l.Started.Before(m.Created):
			bad("launch %d started %s, before spec and plan were frozen %s", l.Index+1, stamp(l.Started), stamp(m.Created))
		case l.Started.Before(previous):
			bad("launch %d started %s, before the launch ahead of it in the ledger, %s", l.Index+1, stamp(l.Started), stamp(previous))
		}
		switch {
		case l.Ended.IsZero():
			bad("launch %d never ended", l.Index+1)
		case l.Ended.Before(l.Started):
			bad("launch %d ended %s, before it started %s", l.Index+1, stamp(l.Ended), stamp(l.Started))
		case m.Sealed.Before(l.Ended) && clock == "":
			bad("the bundle was sealed %s, before launch %d ended %s", stamp(m.Sealed), l.Index+1, stamp(l.Ended))
		}
	}
	if m.Sealed.Before(m.Created) {
		bad("the bundle was sealed %s, before it was created %s", stamp(m.Sealed), stamp(m.Created))
	}
	if m.Sealed.After(now.Add(clockSlack)) && now.After(released) {
		bad("the bundle was sealed %s, and now it is %s", stamp(m.Sealed), stamp(now))
	}
	if good {
		v.pass("times", "frozen %s, sealed %s, launches in between and in order", stamp(m.Created), stamp(m.Sealed))
	}
}

// released is before any bundle was made: a clock that says less has not been set, and
// nothing is judged by it.
var released = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func stamp(t time.Time) string { return t.Format(time.RFC3339) }
