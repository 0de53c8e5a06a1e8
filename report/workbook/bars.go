package workbook

import (
	"bytes"
	"encoding/xml"
	"fmt"
)

// errorBars are the cells with how far the intervals of the series called name
// reach. The library has no error bars, so they are written into the chart that it
// made.
type errorBars struct{ name, below, above string }

// bars adds error bars to the series of the chart that was added last.
func (b *workbook) bars(series []errorBars) {
	b.drawn++
	path := fmt.Sprintf("xl/charts/chart%d.xml", b.drawn)
	held, ok := b.file.Pkg.Load(path)
	if b.err != nil {
		return
	}
	if !ok {
		b.keep(fmt.Errorf("%s is missing", path))
		return
	}
	chart, err := withErrorBars(held.([]byte), series)
	b.keep(err)
	b.file.Pkg.Store(path, chart)
}

// chartExtras are what the library writes too much: an element that scatter charts do
// not have, and a second layout of titles, which turns that of the y axis upright in
// LibreOffice.
var chartExtras = [][2]string{
	{`<invertIfNegative val="0"></invertIfNegative>`, ""},
	{`<txPr><a:bodyPr anchorCtr="false" rot="0" spcFirstLastPara="false"></a:bodyPr><a:p></a:p></txPr></title>`, "</title>"},
}

// withErrorBars puts the bars of each series where the schema wants them, before the
// values of x. It also sets right what the library writes of a scatter chart: values
// of x are numbers, not texts, and a name is no reference.
func withErrorBars(chart []byte, series []errorBars) ([]byte, error) {
	before, after := []byte("<xVal>"), []byte("</xVal>")
	if got := bytes.Count(chart, before); got != len(series) {
		return nil, fmt.Errorf("the chart has %d series, want %d", got, len(series))
	}
	for _, extra := range chartExtras {
		chart = bytes.ReplaceAll(chart, []byte(extra[0]), []byte(extra[1]))
	}
	var out bytes.Buffer
	for _, s := range series {
		head, rest, _ := bytes.Cut(chart, before)
		x, tail, _ := bytes.Cut(rest, after)
		name := xmlEscaped(s.name)
		out.Write(bytes.Replace(head, []byte("<tx><strRef><f>"+name+"</f></strRef></tx>"), []byte("<tx><v>"+name+"</v></tx>"), 1))
		fmt.Fprintf(&out, `<errBars><errDir val="y"/><errBarType val="both"/><errValType val="cust"/><noEndCap val="0"/>`+
			`<plus><numRef><f>%s</f></numRef></plus><minus><numRef><f>%s</f></numRef></minus></errBars>`, xmlEscaped(s.above), xmlEscaped(s.below))
		out.Write(before)
		out.Write(bytes.ReplaceAll(x, []byte("strRef>"), []byte("numRef>")))
		out.Write(after)
		chart = tail
	}
	out.Write(chart)
	return out.Bytes(), nil
}

func xmlEscaped(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
