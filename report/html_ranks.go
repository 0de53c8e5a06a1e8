package report

// blockPart is a block of text as a part of the page.
func blockPart(b block) part {
	return part{Title: b.title, Lines: b.lines, Points: b.points, Head: b.head, Rows: b.rows}
}

// blockParts are blocks below each other; those without anything to say are left out.
func blockParts(list []block) (parts []part) {
	for _, b := range list {
		if len(b.lines)+len(b.points)+len(b.rows) > 0 {
			parts = append(parts, blockPart(b))
		}
	}
	return parts
}

// training shows where the time of steps went, point by point.
func (x exhibit) training() part {
	if x.Training == nil {
		return part{}
	}
	return part{ID: "training", Title: "Training", Parts: blockParts(x.trainingBlocks())}
}

// collectives shows bandwidth by size, its model, and who falls behind.
func (x exhibit) collectives() part {
	if x.Collectives == nil {
		return part{}
	}
	return part{ID: "collectives", Title: "Collectives", Parts: blockParts(x.collectiveBlocks())}
}

// hardware shows what the parts of the machine can do.
func (x exhibit) hardware() part {
	if x.Hardware == nil {
		return part{}
	}
	return part{ID: "hardware", Title: "Hardware", Parts: blockParts(x.hardwareBlocks())}
}
