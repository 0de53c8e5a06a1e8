package telemetry

import (
	"context"
	"errors"
	"path"

	"assay/record"
)

var thermalSection = section{
	names: []string{"thermal.max_celsius", "cpu.throttle_events_since_boot"},
	read:  readThermal,
}

func readThermal(_ context.Context, h Host, env record.Environment) error {
	readThrottleEvents(h, env)
	zones, err := h.glob("sys/class/thermal/thermal_zone*/temp")
	if err != nil {
		return err
	}
	hottest, read := 0.0, false
	for _, z := range zones {
		milli, zoneErr := h.integer(z)
		if zoneErr != nil {
			err = zoneErr // sensors that are off answer with an error
			continue
		}
		if c := float64(milli) / 1000; !read || c > hottest {
			hottest, read = c, true
		}
	}
	if !read {
		return err
	}
	env.Set("thermal.max_celsius", hottest)
	return nil
}

func readThrottleEvents(h Host, env record.Environment) {
	const name = "cpu.throttle_events_since_boot"
	files, err := h.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count")
	if err != nil {
		env.Miss(name, err.Error())
		return
	}
	var sum int64
	for _, f := range files {
		n, err := h.integer(f)
		if err != nil {
			env.Miss(name, err.Error())
			return
		}
		sum += n
	}
	env.Set(name, sum)
}

var powerSection = section{
	names: []string{"power.batteries", "power.profile"},
	read:  readPower,
}

// readPower records batteries by their state, such as "BAT0 Discharging".
func readPower(_ context.Context, h Host, env record.Environment) error {
	h.record(env, fileFact{"power.profile", "sys/firmware/acpi/platform_profile", word})
	if !h.exists("sys/class/power_supply") {
		return errors.New("/sys/class/power_supply: nothing there")
	}
	list := []string{}
	files, _ := h.glob("sys/class/power_supply/*/type") // no supply is an empty list
	for _, f := range files {
		kind, _ := h.text(f)
		if kind != "Battery" {
			continue
		}
		folder := path.Dir(f)
		status, err := h.text(folder + "/status")
		if err != nil {
			status = "unknown"
		}
		list = append(list, path.Base(folder)+" "+status)
	}
	env.Set("power.batteries", list)
	return nil
}
