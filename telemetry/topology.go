package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"

	"assay/record"
)

// topologyNames match the facts that make up the shape of a machine: how many
// of what, and the ways between them. Identities (UUIDs) are left out, so that
// two machines of one build agree; they are compared by name. The current speed
// of a link is left out because idle cards lower it; a narrow link stays narrow
// and counts.
var topologyNames = []*regexp.Regexp{
	regexp.MustCompile(`^cpu\.(sockets|cores|threads)$`),
	regexp.MustCompile(`^numa\.(nodes|\d+\.(cpus|distance))$`),
	regexp.MustCompile(`^pci\.(gpus|nics)$`),
	regexp.MustCompile(`^pci\.[^ ]+\.(vendor|device|numa_node|link_width|link_speed_max)$`),
	regexp.MustCompile(`^topology\.(gpu_gpu|gpu_nic)$`),
	regexp.MustCompile(`^gpu\.(count|\d+\.(model|mig|pcie_width|pcie_generation_max|nvlinks|cpu_affinity))$`),
	regexp.MustCompile(`^rdma\.(devices|[^.]+\.port\d+\.(rate|link_layer))$`),
}

// Topology returns the facts of env that describe the machine's shape. What
// could not be read is left out with its reason: the same machine must not
// change its shape when an error message does.
func Topology(env record.Environment) record.Environment {
	out := record.Environment{}
	for name, fact := range env {
		for _, pattern := range topologyNames {
			if pattern.MatchString(name) && fact.Unavailable == "" {
				out[name] = fact
			}
		}
	}
	return out
}

// TopologyDigest returns the SHA-256 of the topology of env, written as JSON
// with sorted names: equal digests mean equal shapes.
func TopologyDigest(env record.Environment) (string, error) {
	b, err := json.Marshal(Topology(env)) // maps are written in the order of their keys
	if err != nil {
		return "", fmt.Errorf("topology: %w", err)
	}
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
