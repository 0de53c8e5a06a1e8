package metric

import "assay/record"

// interned holds one copy of each word that many requests share.
type interned map[string]string

// mostWords bounds the copies: messages of errors may differ in every request.
const mostWords = 1 << 16

func (words interned) one(s string) string {
	if known, ok := words[s]; ok {
		return known
	}
	if len(words) < mostWords {
		words[s] = s
	}
	return s
}

// A numberArena holds the numbers of some requests that may be null in two pieces of
// memory, not in one for each.
type numberArena struct {
	wide   []int64
	narrow []int32
}

func newNumberArena(rows []record.Request) *numberArena {
	wide, narrow := 0, 0
	for i := range rows {
		for _, p := range wideFields(&rows[i]) {
			if *p != nil {
				wide++
			}
		}
		for _, p := range narrowFields(&rows[i]) {
			if *p != nil {
				narrow++
			}
		}
	}
	return &numberArena{make([]int64, 0, wide), make([]int32, 0, narrow)}
}

func wideFields(r *record.Request) [7]**int64 {
	return [...]**int64{&r.Wrote, &r.First, &r.DNS, &r.Dial, &r.TLS, &r.FirstVisible, &r.FirstAnswer}
}

func narrowFields(r *record.Request) [11]**int32 {
	return [...]**int32{&r.UsageInput, &r.UsageOutput, &r.UsageReasoning, &r.UsageCached, &r.TokenizerOutput, &r.Items,
		&r.VisibleBytes, &r.Letters, &r.VisibleParts, &r.Repeated, &r.OwnTokens}
}

// compact is r without text and ids, in little memory.
func (k *numberArena) compact(r record.Request, words interned) record.Request {
	r.Text, r.ServerID, r.TraceID = "", "", ""
	for _, s := range [...]*string{
		(*string)(&r.Phase), (*string)(&r.Result), &r.Error, &r.FinishReason, &r.Flags, &r.Stamps, &r.Protocol, &r.Model, &r.Fingerprint,
	} {
		*s = words.one(*s)
	}
	for _, p := range wideFields(&r) {
		if *p != nil {
			k.wide = append(k.wide, **p)
			*p = &k.wide[len(k.wide)-1]
		}
	}
	for _, p := range narrowFields(&r) {
		if *p != nil {
			k.narrow = append(k.narrow, **p)
			*p = &k.narrow[len(k.narrow)-1]
		}
	}
	return r
}
