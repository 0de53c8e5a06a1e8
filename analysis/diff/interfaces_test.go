package diff

import (
	"slices"
	"testing"

	"assay/record"
)

// Interfaces that other programs make and remove are no difference between two runs whose
// requests never leave the machine. Those of cards are, and so is a tunnel on the way to
// a target elsewhere.
func TestInterfacesOfOthers(t *testing.T) {
	env := func(extra ...string) record.Environment {
		e := record.Environment{"net.lo.mtu": {Value: "65536"}, "net.eth0.mtu": {Value: "1500"}, "net.eth0.driver": {Value: "virtio_net"}}
		for _, name := range extra {
			e["net."+name+".mtu"] = record.Fact{Value: "1420"}
			e["net."+name+".state"] = record.Fact{Value: "up"}
			e["net."+name+".driver"] = record.Fact{Unavailable: "no such file"}
		}
		return e
	}
	remote := []string{"http://127.0.0.1:8101", "http://10.0.0.7:8000", `server: {command: [engine, serve, --port, "8101", --itl, 5ms, --eager]}`,
		"system: {engine: vllm, gpuType: H100, gpuCount: 8}"}
	jumbo := env()
	jumbo["net.eth0.mtu"] = record.Fact{Value: "9000"}
	tests := []struct {
		name    string
		a, b    record.Environment
		replace []string
		want    []string
	}{
		{"a tunnel, a tap and a VLAN beside a local target", env(), env("wg0", "tap3", "vlan.100"), nil, []string{}},
		{"containers came and went", env("docker0", "br-1a2b", "veth1"), env("docker0", "br-3c4d", "veth2"), nil, []string{}},
		{"containers came and went beside a target elsewhere", env("br-1a2b", "veth1"), env("docker0", "br-3c4d", "veth2"), remote, []string{}},
		{"a tunnel that may lead to the target", env(), env("wg0"), remote, []string{"net.wg0.mtu", "net.wg0.state"}},
		{"the card", env(), jumbo, nil, []string{"net.eth0.mtu"}},
	}
	for _, tt := range tests {
		if got := paths(Bundles(side(t, tt.a, tt.replace...), side(t, tt.b, tt.replace...))); !slices.Equal(got, tt.want) {
			t.Errorf("%s: changes %v, want %v", tt.name, got, tt.want)
		}
	}
}
