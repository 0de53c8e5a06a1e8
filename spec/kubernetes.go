package spec

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"assay/unit"
)

// Kubernetes says how assay operator places the run on a cluster. Runs that are started
// by hand do not read it. Fields that are empty leave the choice to the operator's own
// settings, and then to the cluster.
type Kubernetes struct {
	// The image that holds assay. By default the operator's own.
	Image string `json:"image,omitzero" example:"registry.example/assay@sha256:…"`

	// The LocalQueue of Kueue that the run waits in. Empty leaves Kueue out: pods start
	// as soon as the cluster has room.
	Queue string `json:"queue,omitzero" example:"benchmarks"`

	// The WorkloadPriorityClass that Kueue orders the queue by.
	PriorityClass string `json:"priorityClass,omitzero"`

	// The node label of the topology level that must hold all pods of the run.
	RequiredTopology string `json:"requiredTopology,omitzero" example:"cloud.provider.com/topology-rack"`

	// The same where the level is only preferred.
	PreferredTopology string `json:"preferredTopology,omitzero"`

	// The scheduler that places the pods, such as slurm-bridge-scheduler of Slinky. By default
	// the cluster's own.
	Scheduler string `json:"scheduler,omitzero" example:"slurm-bridge-scheduler"`

	// Annotations of the JobSet, where other schedulers look for what a run wants of them.
	Annotations map[string]string `json:"annotations,omitzero" example:"{slurmjob.slinky.slurm.net/partition: gpu}"`

	// The labels that every node must have.
	NodeSelector map[string]string `json:"nodeSelector,omitzero"`

	// What each pod asks for and is limited to, as Kubernetes writes quantities.
	Resources map[string]string `json:"resources,omitzero" example:"{cpu: \"4\", memory: 8Gi}"`

	// No other pod beside those of the node itself. The node is looked at before the run
	// begins and when it has ended; a run that had company is void. Publication grade, whose
	// nodes are dedicated, is held to it anyway.
	Exclusive bool `json:"exclusive,omitzero"`

	// The PersistentVolumeClaim that the bundle is written to.
	Claim string `json:"claim,omitzero" example:"bundles"`

	// The object store that the bundle is put into by its digest, as assay keep --to does.
	// Keys, region and endpoint are variables of the secret. Without a claim, the bundle is
	// there alone.
	Store string `json:"store,omitzero" example:"s3://benchmarks/team"`

	// The Secret whose keys become environment variables of the run, for {env: NAME}.
	Secret string `json:"secret,omitzero"`

	// The Secret whose key private.pem signs the bundle.
	SigningKey string `json:"signingKey,omitzero"`

	// How long the run may take once it has been admitted. Then it is ended.
	Time unit.Duration `json:"time,omitzero" default:"1h" min:"1m" max:"365d"`
}

// quantities are how Kubernetes writes amounts.
var quantities = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$`)

// annotations are names with the domain of whoever reads them.
var annotations = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)

// stores are the object stores that bundles can be put into.
var stores = regexp.MustCompile(`^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._/-]*)?$`)

// kubernetesAgrees wants a placement that a cluster can be asked for.
func kubernetesAgrees(c *checker) {
	k := c.run.Spec.Kubernetes
	if k == nil {
		return
	}
	const path = "spec.kubernetes"
	if k.RequiredTopology != "" && k.PreferredTopology != "" {
		c.fail(path+".preferredTopology", "requiredTopology is there too: want one of them")
	}
	if k.Queue == "" {
		for _, field := range []struct{ name, value string }{
			{"priorityClass", k.PriorityClass}, {"requiredTopology", k.RequiredTopology}, {"preferredTopology", k.PreferredTopology},
		} {
			if field.value != "" {
				c.fail(path+"."+field.name, "is for Kueue: want spec.kubernetes.queue beside it")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(k.Annotations)) {
		if domain, _, _ := strings.Cut(name, "/"); !annotations.MatchString(name) || domain == "assay.dev" || strings.HasSuffix(domain, "kueue.x-k8s.io") {
			c.fail(joinPath(path+".annotations", name), "must be the name of an annotation with the domain of another scheduler, such as slurmjob.slinky.slurm.net/partition")
		}
	}
	if k.Store != "" && !stores.MatchString(k.Store) {
		c.fail(path+".store", "must be an object store, s3://BUCKET/PREFIX")
	}
	if k.Store != "" && k.Secret == "" {
		c.fail(path+".store", "want spec.kubernetes.secret beside it, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	for _, name := range slices.Sorted(maps.Keys(k.Resources)) {
		if !quantities.MatchString(k.Resources[name]) {
			c.fail(joinPath(path+".resources", name), "must be a quantity of Kubernetes, such as 500m, 4 or 8Gi")
		}
	}
}
