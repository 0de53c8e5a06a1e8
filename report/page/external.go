package page

// external shows what sessions called, and how long they waited for it.
func (x exhibit) external() part {
	return part{ID: "external", Title: "External calls", Parts: blockParts(x.ExternalBlocks())}
}
