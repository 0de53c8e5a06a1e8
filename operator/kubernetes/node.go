package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Node runs the pods that the scheduler gives it as processes of this machine: the
// container's own arguments and environment, with its volumes as folders. It keeps to what a
// kubelet does that matters here: no container begins before its ConfigMap has every key,
// a deleted pod is asked to end and waited for, and what it left in its termination log
// stands in its status. It is no kubelet: nothing is isolated, and images are not pulled.
type Node struct {
	Name string
	Runs string // the volume of every claim, on every node

	c       *Cluster
	program string     // in place of the image; empty has pods run until somebody ends them
	mu      sync.Mutex // guards started
	started map[types.UID]bool
	work    sync.WaitGroup
}

// AddNode gives the cluster a node with 8 processors. program stands for the image.
func (c *Cluster) AddNode(name, program string) *Node {
	c.t.Helper()
	amounts := corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("110")}
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, "rack": "r1", "pool": "tests"}}}
	if err := c.Create(c.t.Context(), object); err != nil {
		c.t.Fatal(err)
	}
	status := corev1.NodeStatus{Capacity: amounts, Allocatable: amounts, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Tests"}}}
	Eventually(c.t, "status of "+name, func(ctx context.Context) error {
		if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		object.Status = status
		return c.Status().Update(ctx, object)
	})
	c.untaint(name)
	n := &Node{Name: name, Runs: c.path("runs"), c: c, program: program, started: map[types.UID]bool{}}
	if err := os.MkdirAll(n.Runs, 0o755); err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n.work.Go(func() { n.serve(ctx) })
	c.t.Cleanup(func() {
		cancel()
		n.work.Wait()
	})
	return n
}

// untaint lets pods onto a node. The API server taints every new one until a controller has
// seen it ready, which is left out where nodes are ours.
func (c *Cluster) untaint(name string) {
	c.t.Helper()
	Eventually(c.t, "untaint "+name, func(ctx context.Context) error {
		var node corev1.Node
		if err := c.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
			return err
		}
		node.Spec.Taints = nil
		return c.Update(ctx, &node)
	})
}

// serve looks for pods until ctx ends.
func (n *Node) serve(ctx context.Context) {
	for ctx.Err() == nil {
		var pods corev1.PodList
		if err := n.c.List(ctx, &pods, client.MatchingFields{"spec.nodeName": n.Name}); err == nil {
			for i := range pods.Items {
				n.begin(ctx, pods.Items[i])
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// begin starts a pod whose container can.
func (n *Node) begin(ctx context.Context, pod corev1.Pod) {
	n.mu.Lock()
	known := n.started[pod.UID]
	n.mu.Unlock()
	if known {
		return
	}
	environment, dir, err := n.prepare(ctx, pod)
	switch {
	case pod.DeletionTimestamp != nil:
		n.mark(pod)
		n.work.Go(func() { n.forget(ctx, pod) })
		return
	case err != nil:
		n.say(ctx, pod, corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: err.Error()}})
		return
	}
	n.mark(pod)
	n.work.Go(func() { n.live(ctx, pod, environment, dir) })
}

// mark notes that a pod needs no more looking after.
func (n *Node) mark(pod corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.started[pod.UID] = true
}

// prepare makes what a container reads, or says what is missing.
func (n *Node) prepare(ctx context.Context, pod corev1.Pod) (environment []string, dir string, err error) {
	dir = filepath.Join(n.c.dir, "pods", string(pod.UID))
	spec := filepath.Join(dir, "etc")
	if err := os.MkdirAll(spec, 0o755); err != nil {
		return nil, "", err
	}
	environment = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	known := []string{} // of the container, for $(NAME)
	for _, e := range pod.Spec.Containers[0].Env {
		value, err := n.variable(ctx, pod, e, spec)
		if err != nil {
			return nil, "", err
		}
		value = strings.NewReplacer(known...).Replace(value)
		known = append(known, "$("+e.Name+")", value)
		// The termination log of a container is a file of its own, and the name of a pod an
		// address of this machine.
		value = strings.ReplaceAll(value, corev1.TerminationMessagePathDefault, filepath.Join(dir, "termination-log"))
		if host, port, ok := strings.Cut(value, ":"); ok && pod.Spec.Subdomain != "" && strings.HasSuffix(host, "."+pod.Spec.Subdomain) {
			value = "127.0.0.1:" + port
		}
		environment = append(environment, e.Name+"="+value)
	}
	return environment, dir, nil
}

// variable is the value of a variable of a container. A ConfigMap that it comes from is
// the one that is mounted too.
func (n *Node) variable(ctx context.Context, pod corev1.Pod, e corev1.EnvVar, spec string) (string, error) {
	switch from := e.ValueFrom; {
	case from == nil:
		return e.Value, nil
	case from.FieldRef != nil:
		label, _ := strings.CutPrefix(strings.TrimSuffix(from.FieldRef.FieldPath, "']"), "metadata.labels['") // the pod's number in its Job
		return map[string]string{
			"metadata.name": pod.Name, "metadata.uid": string(pod.UID), "spec.nodeName": n.Name, "status.podIP": "127.0.0.1",
		}[from.FieldRef.FieldPath] + pod.Labels[label], nil
	case from.SecretKeyRef != nil:
		var held corev1.Secret
		if err := n.c.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: from.SecretKeyRef.Name}, &held); err != nil {
			return "", err
		}
		return string(held.Data[from.SecretKeyRef.Key]), nil
	}
	ref := e.ValueFrom.ConfigMapKeyRef
	var held corev1.ConfigMap
	if err := n.c.Get(ctx, client.ObjectKey{Namespace: pod.Namespace, Name: ref.Name}, &held); err != nil {
		return "", err
	}
	value, ok := held.Data[ref.Key]
	if !ok {
		return "", fmt.Errorf("couldn't find key %s in ConfigMap %s/%s", ref.Key, pod.Namespace, ref.Name)
	}
	for name, text := range held.Data {
		if err := os.WriteFile(filepath.Join(spec, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return value, nil
}

// live runs a pod's container to its end, or until somebody deletes the pod.
func (n *Node) live(ctx context.Context, pod corev1.Pod, environment []string, dir string) {
	var args []string
	for _, arg := range pod.Spec.Containers[0].Args {
		arg = strings.ReplaceAll(arg, "/etc/assay", filepath.Join(dir, "etc"))
		if arg == "/runs" {
			arg = n.Runs
		}
		args = append(args, arg)
	}
	cmd := exec.Command(n.program, args...)
	if n.program == "" {
		cmd = exec.Command("sleep", "3600")
	}
	var said bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = environment, dir, &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	began := metav1.Now()
	if err := cmd.Start(); err != nil {
		n.c.t.Errorf("pod %s: %v", pod.Name, err)
		return
	}
	n.say(ctx, pod, corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: began}})
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	n.await(ctx, pod, cmd, ended)
	note, _ := os.ReadFile(filepath.Join(dir, "termination-log"))
	code := cmd.ProcessState.ExitCode()
	phase := corev1.PodSucceeded
	if code != 0 {
		phase = corev1.PodFailed
		n.c.t.Logf("pod %s ended with %d: %s", pod.Name, code, said.Bytes()[:min(said.Len(), 1500)])
	}
	if code < 0 {
		code = 137
	}
	n.say(ctx, pod, phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: int32(code), StartedAt: began, FinishedAt: metav1.Now(), Message: string(note), Reason: "Ended",
	}})
	n.forget(ctx, pod)
}

// await waits for the end of a process, which a deleted pod is asked for.
func (n *Node) await(ctx context.Context, pod corev1.Pod, cmd *exec.Cmd, ended <-chan error) {
	asked := false
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			cmd.Process.Kill()
			<-ended
			return
		case <-time.After(100 * time.Millisecond):
		}
		var now corev1.Pod
		err := n.c.Get(ctx, client.ObjectKeyFromObject(&pod), &now)
		if gone := apierrors.IsNotFound(err) || err == nil && (now.UID != pod.UID || now.DeletionTimestamp != nil); gone && !asked {
			asked = true
			cmd.Process.Signal(syscall.SIGTERM)
		}
	}
}

// say writes the status of a pod.
func (n *Node) say(ctx context.Context, pod corev1.Pod, phase corev1.PodPhase, state corev1.ContainerState) {
	for range 20 {
		var now corev1.Pod
		if err := n.c.Get(ctx, client.ObjectKeyFromObject(&pod), &now); err != nil || now.UID != pod.UID {
			return
		}
		now.Status.Phase = phase
		now.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, State: state, Image: pod.Spec.Containers[0].Image}}
		err := n.c.Status().Update(ctx, &now)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !apierrors.IsConflict(err) && !errors.Is(err, context.Canceled) {
			n.c.t.Logf("pod %s: %v", pod.Name, err)
		}
	}
}

// forget takes a deleted pod away once it has ended.
func (n *Node) forget(ctx context.Context, pod corev1.Pod) {
	for ctx.Err() == nil {
		var now corev1.Pod
		err := n.c.Get(ctx, client.ObjectKeyFromObject(&pod), &now)
		switch {
		case apierrors.IsNotFound(err) || err == nil && now.UID != pod.UID:
			return
		case err == nil && now.DeletionTimestamp != nil:
			n.c.Delete(ctx, &now, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
		}
		time.Sleep(200 * time.Millisecond)
	}
}
