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
	if n, err := h.heatThrottles(); err != nil {
		env.Miss("cpu.throttle_events_since_boot", err.Error())
	} else {
		env.Set("cpu.throttle_events_since_boot", int64(n))
	}
	hottest, err := h.hottest()
	if err != nil {
		return err
	}
	env.Set("thermal.max_celsius", hottest)
	return nil
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
