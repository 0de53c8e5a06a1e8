//go:build cgo && linux

package telemetry

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// nvLinks lists the links of a device as "0 active 00000000:07:00.0". A device
// without NVLink answers "not supported" at the first.
func nvLinks(d nvml.Device) (any, nvml.Return) {
	out := []string{}
	for link := range nvml.NVLINK_MAX_LINKS {
		state, r := d.GetNvLinkState(link)
		if r != nvml.SUCCESS && link > 0 {
			break // the device has fewer links than the most there can be
		}
		if r != nvml.SUCCESS {
			return nil, r
		}
		if state != nvml.FEATURE_ENABLED {
			out = append(out, fmt.Sprintf("%d inactive", link))
			continue
		}
		remote := "unknown"
		if info, r := d.GetNvLinkRemotePciInfo(link); r == nvml.SUCCESS {
			remote = cString(info.BusId[:])
		}
		out = append(out, fmt.Sprintf("%d active %s", link, remote))
	}
	return out, nvml.SUCCESS
}

// linkCounters are the errors that an NVLink counts. Links of Hopper and later keep some of
// them elsewhere and do not answer for these.
var linkCounters = []nvml.NvLinkErrorCounter{
	nvml.NVLINK_ERROR_DL_REPLAY, nvml.NVLINK_ERROR_DL_RECOVERY, nvml.NVLINK_ERROR_DL_CRC_FLIT, nvml.NVLINK_ERROR_DL_CRC_DATA,
}

// nvLinkErrors adds up what the links of a device have counted since its driver was loaded.
// A device that answers for none of its links says so.
func nvLinkErrors(d nvml.Device) (any, nvml.Return) {
	var sum uint64
	answer := nvml.ERROR_NOT_SUPPORTED
	for link := range nvml.NVLINK_MAX_LINKS {
		if state, r := d.GetNvLinkState(link); r != nvml.SUCCESS || state != nvml.FEATURE_ENABLED {
			continue
		}
		for _, counter := range linkCounters {
			if n, r := d.GetNvLinkErrorCounter(link, counter); r == nvml.SUCCESS {
				sum, answer = sum+n, nvml.SUCCESS
			}
		}
	}
	return sum, answer
}

func activeLinks(d nvml.Device) int {
	links, r := nvLinks(d)
	if r != nvml.SUCCESS {
		return 0
	}
	active := 0
	for _, l := range links.([]string) {
		if strings.Contains(l, " active ") {
			active++
		}
	}
	return active
}

// gpuMatrix lists every pair as "0 1 NV12 p2p": the way between them in
// nvidia-smi's words, and whether they may read each other's memory.
func gpuMatrix(devices []nvml.Device) []string {
	out := []string{}
	for i, a := range devices {
		for j := i + 1; j < len(devices); j++ {
			out = append(out, fmt.Sprintf("%d %d %s %s", i, j, way(a, devices[j]), peer(a, devices[j])))
		}
	}
	return out
}

func way(a, b nvml.Device) string {
	if status, r := a.GetP2PStatus(b, nvml.P2P_CAPS_INDEX_NVLINK); r == nvml.SUCCESS && status == nvml.P2P_STATUS_OK {
		return fmt.Sprintf("NV%d", activeLinks(a))
	}
	level, r := a.GetTopologyCommonAncestor(b)
	if r != nvml.SUCCESS {
		return "unknown"
	}
	names := map[nvml.GpuTopologyLevel]string{
		nvml.TOPOLOGY_INTERNAL: "BOARD", nvml.TOPOLOGY_SINGLE: "PIX", nvml.TOPOLOGY_MULTIPLE: "PXB",
		nvml.TOPOLOGY_HOSTBRIDGE: "PHB", nvml.TOPOLOGY_NODE: "NODE", nvml.TOPOLOGY_SYSTEM: "SYS",
	}
	if name, ok := names[level]; ok {
		return name
	}
	return fmt.Sprintf("level %d", level)
}

func peer(a, b nvml.Device) string {
	status, r := a.GetP2PStatus(b, nvml.P2P_CAPS_INDEX_READ)
	switch {
	case r != nvml.SUCCESS:
		return "p2p-unknown"
	case status == nvml.P2P_STATUS_OK:
		return "p2p"
	default:
		return "no-p2p"
	}
}

// mostCPUs is the size of the mask asked for; a larger machine is not known.
const mostCPUs = 4096

func cpuAffinity(d nvml.Device) (any, nvml.Return) {
	mask, r := d.GetCpuAffinity(mostCPUs)
	return formatMask(mask), r
}

// formatMask writes the set bits as the kernel writes CPU lists: 0-3,8.
func formatMask(mask []uint) string {
	var parts []string
	const bits = strconv.IntSize
	set := func(n int) bool { return n < len(mask)*bits && mask[n/bits]>>(n%bits)&1 == 1 }
	for n := 0; n < len(mask)*bits; n++ {
		if !set(n) {
			continue
		}
		first := n
		for set(n + 1) {
			n++
		}
		if first == n {
			parts = append(parts, strconv.Itoa(n))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, n))
		}
	}
	return strings.Join(parts, ",")
}
