package worker

// Mem keeps a reading of memory until Flush. Workers in Python send them; no rank of
// our own does.
func (c *Client) Mem(line MemLine) { c.rest = append(c.rest, Line{T: MemT, Mem: &line}) }
