package telemetry

import (
	"context"
	"path"
	"strings"

	"assay/record"
)

var blockSection = section{
	names: []string{"block.devices", "disk.free_bytes", "disk.total_bytes"},
	read:  readBlock,
}

func readBlock(_ context.Context, h Host, env record.Environment) error {
	readDisk(h, env)
	folders, err := h.glob("sys/class/block/*")
	if err != nil {
		return err
	}
	names := []string{}
	for _, f := range folders {
		name := path.Base(f)
		if h.exists(f+"/partition") || memoryBacked(name) {
			continue
		}
		names = append(names, name)
		at := "block." + name
		h.record(env, fileFact{at + ".size_bytes", f + "/size", sectors})
		h.record(env, fileFact{at + ".rotational", f + "/queue/rotational", flag})
		h.record(env, fileFact{at + ".scheduler", f + "/queue/scheduler", chosen})
		h.record(env, fileFact{at + ".model", f + "/device/model", word})
	}
	env.Set("block.devices", names)
	return nil
}

// memoryBacked reports devices that are files or memory, of which machines have
// dozens by default.
func memoryBacked(name string) bool {
	return strings.HasPrefix(name, "loop") || strings.HasPrefix(name, "ram") || strings.HasPrefix(name, "zram")
}

// sectors reads a size, which sysfs counts in units of 512 bytes whatever the
// device's own sector is.
func sectors(text string) (any, error) {
	n, err := whole(text)
	if err != nil {
		return nil, err
	}
	return n.(int64) * 512, nil
}

func readDisk(h Host, env record.Environment) {
	err := errNotAsked
	var s Space
	if h.DiskSpace != nil {
		s, err = h.DiskSpace(h.dir())
	}
	if err != nil {
		env.Miss("disk.free_bytes", err.Error())
		env.Miss("disk.total_bytes", err.Error())
		return
	}
	env.Set("disk.free_bytes", s.Free)
	env.Set("disk.total_bytes", s.Total)
}
