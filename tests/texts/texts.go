// Package texts makes texts for tests that compare with other libraries: of all scripts, and
// hard to treat alike. It draws from a seed and nothing else, so that a text that failed
// comes again.
package texts

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// A Generator makes texts that are hard to compare: of all scripts, with the white space,
// punctuation, entities and special letters that metrics treat each in their own way.
type Generator struct{ *rand.Rand }

// New makes a Generator that always draws the same.
func New(seed uint64) Generator { return Generator{rand.New(rand.NewPCG(seed, 17))} }

// A Pair is a hypothesis with its references.
type Pair struct {
	Hyp  string   `json:"hyp"`
	Refs []string `json:"refs"`
}

// vocabularies are words to draw from; few, so that texts have some in common.
var vocabularies = [][]string{
	strings.Fields("the a an The cat cats sat on mat. mat running runs ran quickly quick dogs dog's happy happily relational conditionally " +
		"nationally it's 3.14 1,000 42. 10-20 (hi) \"quoted\" well-known U.S. e.g. news dying skies agreed feed hopping automobile car big large"),
	strings.Fields("ΟΔΥΣΣΕΥΣ Σ ΑΣ ἈΡΧΉ καὶ λόγος Straße STRASSE İstanbul ISPARTA ılık ﬁn ŉ ǰ Ǆ naïve café"),
	strings.Fields("Привет, мир! Кошка сидит на ковре. ёж Ёж №5 привет мир кошка"),
	strings.Fields("مرحبا بالعالم، هل؟ שלום עולם ١٢٣ नमस्ते दुनिया। हिन्दी สวัสดีชาวโลก"),
	strings.Fields("我 爱 北京天安门。 今天天气很好， 天气 北京 𠀀𠀁 日本語 カタカナ ひらがな ・ 「引用」 ２０２４年 한국어 조선말 ㈱ ㍿ 〇"),
	strings.Fields("😀 👩‍👩‍👧 🇩🇪 ❤️ ★ → € £5 ½ x² … — ‘a’ “b” « » ¿qué? ¡sí! ™ © \u0301 \u200d \u200b\u200b \ufeff"),
	strings.Fields("&amp; &lt;b&gt; &quot;x&quot; &amp;lt; <skipped> a<skipped>b .. ,, ., .5 5. 5.5 ,a a,b 1,2 -5 5-5 --- ' 's he's its' _ a_b"),
}

// blanks are what stands between words.
var blanks = []string{" ", " ", " ", " ", " ", "  ", "\n", "-\n", "\n-", "\t", "\u00a0", "\u3000", "\u2003", "\x1c", "\x1f", "\u0085", "\u2028", "", ". ", ", "}

// blocks are where single characters come from. They have had no new characters lately,
// about which libraries of different ages would disagree.
var blocks = [][2]rune{
	{0x01, 0x24f}, {0x250, 0x36f}, {0x384, 0x3ff}, {0x400, 0x52f}, {0x5d0, 0x5ea}, {0x620, 0x669}, {0x904, 0x96f}, {0xe01, 0xe5b},
	{0x10a0, 0x10ff}, {0x13a0, 0x13fd}, {0x1e00, 0x1fff}, {0x2000, 0x2064}, {0x20a0, 0x20bf}, {0x2100, 0x218b}, {0x2190, 0x23ff}, {0x2600, 0x27bf},
	{0x2e80, 0x2fdf}, {0x3000, 0x31e3}, {0x31f0, 0x33ff}, {0x4e00, 0x9fa5}, {0xac00, 0xd7a3}, {0xf900, 0xfad9}, {0xfe10, 0xfe4f}, {0xff01, 0xffee},
	{0x10400, 0x1044f}, {0x1d7ce, 0x1d7ff}, {0x1f300, 0x1f64f}, {0x20000, 0x2a6d6},
}

func (g Generator) pick(words []string) string { return words[g.IntN(len(words))] }

func (g Generator) word() string {
	if g.IntN(8) == 0 {
		var b strings.Builder
		for range 1 + g.IntN(5) {
			block := blocks[g.IntN(len(blocks))]
			b.WriteRune(block[0] + rune(g.IntN(int(block[1]-block[0])+1)))
		}
		return b.String()
	}
	return g.pick(vocabularies[g.IntN(len(vocabularies))])
}

// Text is one of so many words.
func (g Generator) Text(words int) string { return g.join(g.words(words)) }

// words are those of one text; most texts are of one script.
func (g Generator) words(n int) []string {
	words, home := make([]string, n), vocabularies[g.IntN(len(vocabularies))]
	for i := range words {
		if g.IntN(4) == 0 {
			words[i] = g.word()
		} else {
			words[i] = g.pick(home)
		}
	}
	return words
}

// join puts words together, most often by single spaces.
func (g Generator) join(words []string) string {
	plain := g.IntN(2) == 0
	var b strings.Builder
	for i, word := range words {
		if i > 0 || g.IntN(20) == 0 {
			if plain {
				b.WriteByte(' ')
			} else {
				b.WriteString(g.pick(blanks))
			}
		}
		b.WriteString(word)
	}
	if g.IntN(10) == 0 {
		b.WriteString(g.pick(blanks))
	}
	return b.String()
}

// change makes other words of a text: some lost, new, doubled, moved, or in capitals.
func (g Generator) change(words []string) []string {
	words = slices.Clone(words)
	for range g.IntN(5) {
		if len(words) == 0 {
			break
		}
		i := g.IntN(len(words))
		switch g.IntN(6) {
		case 0:
			words = slices.Delete(words, i, i+1)
		case 1:
			words = slices.Insert(words, i, g.word())
		case 2:
			words = slices.Insert(words, i, words[i])
		case 3:
			words[i] = strings.ToUpper(words[i])
		default: // a run moves
			end := min(i+1+g.IntN(6), len(words))
			run := slices.Clone(words[i:end])
			words = slices.Delete(words, i, end)
			words = slices.Insert(words, g.IntN(len(words)+1), run...)
		}
	}
	return words
}

// Pair is one hypothesis with one to three references, now and then with empty ones or
// with none of its words. Long ones have that many words.
func (g Generator) Pair(long int) Pair {
	n := g.IntN(30)
	if long > 0 {
		n = long
	}
	words := g.words(n)
	pair := Pair{Hyp: g.join(words)}
	for range 1 + g.IntN(3)*g.IntN(2) {
		other := g.change(words)
		switch g.IntN(20) {
		case 0:
			other = nil
		case 1:
			other = g.words(n)
		}
		pair.Refs = append(pair.Refs, g.join(other))
	}
	return pair
}

// Pairs are n of them, of which every hundredth is very long, and every hundredth longer
// than the beams of TER.
func (g Generator) Pairs(n int) []Pair {
	all := make([]Pair, n)
	for i := range all {
		switch long := g.IntN(100); i % 100 {
		case 49:
			all[i] = g.Pair(50 + long)
		case 99:
			all[i] = g.Pair(300 + 7*long)
		default:
			all[i] = g.Pair(0)
		}
	}
	return all
}
