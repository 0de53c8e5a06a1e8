package metric

// A segment that is sent again has waited for a timeout, which on Linux is 200 ms at
// least (TCP_RTO_MIN). Where all such waits together are below a twentieth of the time,
// and where a single segment was lost, they explain nothing.
const (
	resendStall   = .2 // seconds
	resendsMatter = .05
	fewestResends = 2
)

// Lossy says whether so many TCP segments were sent again that they could explain slow
// exchanges; false where nobody counted them.
func (h ClientHealth) Lossy() bool {
	return h.Retransmits != nil && *h.Retransmits >= fewestResends && *h.Retransmits*resendStall >= resendsMatter*h.Seconds
}
