package diff

import (
	"fmt"
	"strings"

	"assay/bundle"
	"assay/record"
)

// environments compares what is known about the machines and the software. Local says that
// both targets answer on the machine that measured, so that requests stay inside of it.
func environments(a, b bundle.Manifest, local bool) []Change {
	var list []Change
	pods := inPods(a.Environment) && inPods(b.Environment)
	shape := false
	for _, name := range union(a.Environment, b.Environment) {
		x, y := a.Environment[name], b.Environment[name]
		_, inA := a.Environment[name]
		_, inB := b.Environment[name]
		if sameFact(x, y, inA, inB) || untold(a, inA) || untold(b, inB) {
			continue
		}
		if name == "host.name" && pods {
			continue // a pod's name, made for each job; env.NODE_NAME tells the machine
		}
		if local && bypassed(name, a.Environment) && bypassed(name, b.Environment) {
			continue
		}
		r, known := environmentRules.find(name)
		if known && r.ignore {
			continue
		}
		kind := Environment
		if _, is := topologyFacts.find(name); is {
			kind, shape = Topology, true
		}
		c := Change{Path: name, A: factText(x, inA), B: factText(y, inB), Kind: kind, Variable: r.variable, Along: r.along}
		if r.named {
			c.Variable = name
		}
		list = append(list, c)
	}
	if a.TopologyDigest != b.TopologyDigest && !shape && !untold(a, a.TopologyDigest != "") && !untold(b, b.TopologyDigest != "") {
		list = append(list, Change{Path: "topologyDigest", A: shown(a.TopologyDigest), B: shown(b.TopologyDigest), Kind: Topology, Variable: hardware})
	}
	return list
}

func inPods(env record.Environment) bool { return env["scheduler.kind"].Value == "kubernetes" }

// sameFact reports whether two facts agree. Two that could not be read agree
// whatever the reasons say; one that could be read on one side alone does not:
// nobody knows whether it is the same.
func sameFact(a, b record.Fact, inA, inB bool) bool {
	missingA, missingB := !inA || a.Unavailable != "", !inB || b.Unavailable != ""
	if missingA || missingB {
		return missingA && missingB
	}
	return factText(a, true) == factText(b, true)
}

func factText(f record.Fact, recorded bool) string {
	switch {
	case !recorded:
		return "not recorded"
	case f.Unavailable != "":
		return "unavailable (" + f.Unavailable + ")"
	}
	return text(f.Value)
}

// inputs compares what the runs used and did not make.
func inputs(a, b bundle.Inputs) []Change {
	flatA, flatB := flatInputs(a), flatInputs(b)
	var list []Change
	for _, path := range union(flatA, flatB) {
		if flatA[path] == flatB[path] {
			continue
		}
		c := Change{Path: path, A: shown(flatA[path]), B: shown(flatB[path]), Kind: Input}
		if strings.HasPrefix(path, "inputs.images.") {
			c.Variable = runtime
		}
		// A server that counts tokens itself is named by its address.
		c.Along = isAddress(c.A) && isAddress(c.B)
		list = append(list, c)
	}
	return list
}

// flatInputs names every input by its path. An input is its digest; one without
// is its name. Seeds follow from spec.seed.
func flatInputs(in bundle.Inputs) map[string]string {
	flat := map[string]string{}
	for name, digest := range in.Images {
		flat["inputs.images."+repository(name)] = name + " " + digest
	}
	one := func(path string, i *bundle.Input) {
		switch {
		case i == nil:
		case i.Digest != "":
			flat[path] = i.Digest
		default:
			flat[path] = i.Name
		}
	}
	one("inputs.model", in.Model)
	one("inputs.tokenizer", in.Tokenizer)
	for i := range in.Datasets {
		one(fmt.Sprintf("inputs.datasets[%d]", i), &in.Datasets[i])
	}
	return flat
}

// isAddress says that an input is what a server did, and known by where that was.
func isAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// repository is an image's name without its tag and digest, so that two versions
// of one image stand in one line.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	slash := strings.LastIndex(image, "/")
	if colon := strings.LastIndex(image, ":"); colon > slash {
		image = image[:colon]
	}
	return image
}

// Lasting keeps the facts that are compared, without those that move all the time: two
// runs with the same ones were made in the same environment.
func Lasting(env record.Environment) record.Environment {
	out := record.Environment{}
	for name, fact := range env {
		if r, known := environmentRules.find(name); known && r.ignore {
			continue
		}
		if fact.Unavailable != "" {
			fact = record.Fact{Unavailable: "unavailable"} // the reasons are no part of the machine
		}
		out[name] = fact
	}
	return out
}
