package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

// warehouseVariable names the warehouse where --warehouse does not.
const warehouseVariable = "ASSAY_WAREHOUSE"

// A warehouseFlag says which warehouse a command is about.
type warehouseFlag struct{ dir string }

func (w *warehouseFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.dir, "warehouse", "", "folder of the warehouse; by default "+warehouseVariable+", else the user's data folder")
}

// place is the folder: as asked, as the environment says, or where programs keep data.
func (w warehouseFlag) place(env Env) string {
	if w.dir != "" {
		return w.dir
	}
	lookup := lookupIn(env)
	if dir, ok := lookup(warehouseVariable); ok && dir != "" {
		return dir
	}
	data, _ := lookup("XDG_DATA_HOME")
	if home, _ := lookup("HOME"); data == "" && home != "" {
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "assay", "warehouse")
}
