package telemetry

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assay/record"
)

var virtualSection = section{
	names: []string{"virtual.container", "container.image_digest"},
	read:  readContainer,
}

func readContainer(_ context.Context, h Host, env record.Environment) error {
	readImageDigest(h, env)
	if h.Files == nil {
		return errNotAsked
	}
	env.Set("virtual.container", containerHints(h))
	return nil
}

// containerHints names every container system that left a trace; an empty list
// means none did.
func containerHints(h Host) []string {
	hints := []string{}
	add := func(name string) {
		if !slices.Contains(hints, name) {
			hints = append(hints, name)
		}
	}
	if h.exists(".dockerenv") {
		add("docker")
	}
	if h.exists("run/.containerenv") {
		add("podman")
	}
	if h.exists("var/run/secrets/kubernetes.io/serviceaccount") {
		add("kubernetes")
	}
	if text, err := h.text("run/systemd/container"); err == nil {
		add(text)
	}
	groups, _ := h.text("proc/self/cgroup") // a missing file gives no hint
	for _, hint := range []struct{ trace, name string }{
		{"/docker", "docker"}, {"libpod", "podman"}, {"kubepods", "kubernetes"},
		{"containerd", "containerd"}, {"/lxc", "lxc"}, {"slurmstepd", "slurm"},
	} {
		if strings.Contains(groups, hint.trace) {
			add(hint.name)
		}
	}
	return hints
}

var digestPattern = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// digestVariables may hold the image digest. No container system tells a
// process its own image, so whoever starts the container has to.
var digestVariables = []string{"ASSAY_IMAGE_DIGEST", "IMAGE_DIGEST", "CONTAINER_IMAGE_DIGEST", "CONTAINER_IMAGE"}

// digestFiles are the places where a digest may lie: podman writes the first.
var digestFiles = []string{"run/.containerenv", "etc/assay/image-digest", "etc/image-digest"}

func readImageDigest(h Host, env record.Environment) {
	environ, _ := h.environ() // a host without environment has files
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if d := digestPattern.FindString(value); d != "" && slices.Contains(digestVariables, name) {
			env.Set("container.image_digest", d)
			return
		}
	}
	for _, f := range digestFiles {
		text, _ := h.text(f)
		if d := digestPattern.FindString(text); d != "" {
			env.Set("container.image_digest", d)
			return
		}
	}
	env.Miss("container.image_digest", fmt.Sprintf("no sha256 digest in %s or /%s; set ASSAY_IMAGE_DIGEST when starting the container",
		strings.Join(digestVariables, ", "), strings.Join(digestFiles, ", /")))
}
