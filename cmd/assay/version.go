package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"assay/bundle"
	"assay/telemetry"

	"github.com/spf13/cobra"
)

// release is the version of this source tree; CHANGELOG.md tells what is in it.
const release = "0.1.0"

func versionCommand(env Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Version prints the release and, where the build knows it, the commit: what bundles
call the code that judged them.`,
		Args: exactArgs(0, "none"),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(env.Stdout, tool())
			}
			_, err := fmt.Fprintln(env.Stdout, version())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print version, Go version and the program's own SHA-256 as JSON")
	return cmd
}

// version is the release and, where the build knows it, the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = "-" + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	return release + commit + dirty
}

// tool names this program in a bundle. A binary that cannot be read has no hash,
// and the bundle shows none.
func tool() bundle.Tool {
	t := bundle.Tool{Name: "assay", Version: version(), GoVersion: runtime.Version()}
	if sum, err := telemetry.Program(); err == nil {
		t.SHA256 = sum
	}
	return t
}
