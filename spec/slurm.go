package spec

import "assay/unit"

// Slurm says what is asked of a Slurm scheduler. Fields that are empty leave the choice
// to the cluster's defaults.
type Slurm struct {
	// How many nodes.
	Nodes int `json:"nodes,omitzero" default:"1" min:"1" max:"65536"`

	// The ranks of each node; 0 spreads the largest world evenly.
	TasksPerNode int `json:"tasksPerNode,omitzero" min:"0" max:"1024"`

	// The nodes are for this run alone. Without it others may compute beside it.
	Exclusive *bool `json:"exclusive,omitzero" default:"true"`

	// The partition.
	Partition string `json:"partition,omitzero" example:"gpu"`

	// The account that is charged.
	Account string `json:"account,omitzero"`

	// The quality of service.
	QOS string `json:"qos,omitzero"`

	// The features that every node must have, as sbatch reads them.
	Constraint string `json:"constraint,omitzero" example:"h200&ib"`

	// The devices of each node, as sbatch reads --gres.
	Gres string `json:"gres,omitzero" example:"gpu:8"`

	// The most leaf switches that the nodes may be spread over, and how long to wait for
	// that, as sbatch reads --switches.
	Switches string `json:"switches,omitzero" example:"1@10:00"`

	// How long the nodes are held at most. A run that takes longer is cut off.
	Time unit.Duration `json:"time,omitzero" default:"1h" min:"1m" max:"365d"`

	// Further options of sbatch, such as --reservation=bench.
	Options []string `json:"options,omitzero" example:"[--reservation=bench]"`
}
