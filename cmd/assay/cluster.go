package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// clusterCommand offers the suites by the names that cluster evaluations know.
func clusterCommand(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Evaluate a cluster by the presets of common evaluations",
		Long: `Cluster has the presets of common cluster evaluations by their names. They are
suites: see assay suite.`,
		Args: exactArgs(0, "a verb: common-eval"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o suiteFlags
	var preset, mode, hca string
	var extra []string
	eval := &cobra.Command{
		Use:   "common-eval --preset PRESET",
		Short: "Carry out a preset on this host or on several",
		Long: `Common-eval carries out a preset: common-answer-fast, core-system, modern-llm,
fabric-systems, or multinode-readiness, which only checks. --mode smoke measures
nothing and writes what would be. It measures the host that it runs on and, with
--hosts, those hosts and what goes between them.

Exit codes are those of assay suite.`,
		Args: exactArgs(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch mode {
			case "smoke":
				o.smoke = true
			case "full":
			default:
				return usageError(fmt.Errorf("--mode %q: want smoke or full", mode))
			}
			if hca != "" {
				fmt.Fprintf(env.Stderr, "note: --nccl-ib-hca is not used: set NCCL_IB_HCA, which workers record\n")
			}
			if len(extra) > 0 {
				return usageError(fmt.Errorf("--extra-arg %q: assay suite has flags of its own; see assay suite --help", extra))
			}
			return runSuite(cmd.Context(), env, preset, o)
		},
	}
	f := eval.Flags()
	o.register(f)
	f.StringVar(&preset, "preset", "core-system", "which")
	f.StringVar(&mode, "mode", "full", "smoke or full")
	f.StringSliceVar(&o.fleet.Labels, "labels", nil, "a label for each host")
	f.StringVar(&o.fleet.Primary, "primary-label", "", "label of the host that reports are about")
	f.StringVar(&o.fleet.Control, "oob-if", "", "interface that hosts are reached over")
	f.StringVar(&o.fleet.Interface, "socket-ifname", "", "interface that ranks talk over")
	f.StringVar(&hca, "nccl-ib-hca", "", "not used; set NCCL_IB_HCA")
	f.StringVar(&o.sshUser, "ssh-user", "", "user on the hosts")
	f.StringVar(&o.sshKey, "ssh-key", "", "private key for the hosts")
	f.StringArrayVar(&extra, "extra-arg", nil, "refused: other programs' arguments")
	cmd.AddCommand(eval)
	return cmd
}
