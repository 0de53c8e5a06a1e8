package kubernetes

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The addresses of Services, of which the first is the API server's.
const (
	services   = "10.250.0.0/24"
	apiService = "10.250.0.1"
)

// ServePods gives pods what they need of a cluster's network beyond their addresses, in place
// of kube-proxy and CoreDNS: the API server at the address of its Service, and the names of
// pods. Other Services have no address here; webhooks are reached by those of their pods.
func (c *Cluster) ServePods() {
	c.t.Helper()
	c.system("ip", "address", "add", apiService+"/32", "dev", bridge)
	api, err := net.Listen("tcp", apiService+":443")
	if err != nil {
		c.t.Fatal(err)
	}
	names, err := net.ListenPacket("udp", gateway+":53")
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { c.forward(ctx, api) })
	work.Go(func() { c.resolve(ctx, names) })
	c.t.Cleanup(func() {
		cancel()
		api.Close()
		names.Close()
		work.Wait()
	})
}

// forward hands connections on to the API server until the listener is closed.
func (c *Cluster) forward(ctx context.Context, l net.Listener) {
	var work sync.WaitGroup
	defer work.Wait()
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		work.Go(func() {
			defer from.Close()
			to, err := net.Dial("tcp", c.host)
			if err != nil {
				return
			}
			defer to.Close()
			defer context.AfterFunc(ctx, func() { from.Close(); to.Close() })()
			var back sync.WaitGroup
			back.Go(func() {
				io.Copy(from, to)
				from.Close()
			})
			io.Copy(to, from)
			to.Close()
			back.Wait()
		})
	}
}

// resolve answers questions for the addresses of pods until the socket is closed.
func (c *Cluster) resolve(ctx context.Context, l net.PacketConn) {
	packet := make([]byte, 1500)
	for {
		n, from, err := l.ReadFrom(packet)
		if err != nil {
			return
		}
		var asked dnsmessage.Message
		if asked.Unpack(packet[:n]) != nil || len(asked.Questions) != 1 {
			continue
		}
		answer, err := c.answer(ctx, asked)
		if err != nil {
			c.t.Logf("name %s: %v", asked.Questions[0].Name, err)
			continue
		}
		l.WriteTo(answer, from)
	}
}

// answer is what the cluster knows of a name: HOST.SUBDOMAIN.NAMESPACE.svc.cluster.local.
func (c *Cluster) answer(ctx context.Context, asked dnsmessage.Message) ([]byte, error) {
	q := asked.Questions[0]
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: asked.ID, Response: true, Authoritative: true, RecursionDesired: asked.RecursionDesired, RCode: dnsmessage.RCodeNameError},
		Questions: asked.Questions,
	}
	words := strings.Split(strings.ToLower(q.Name.String()), ".")
	if len(words) == 7 && strings.HasSuffix(strings.ToLower(q.Name.String()), ".svc.cluster.local.") {
		var pods corev1.PodList
		if err := c.List(ctx, &pods, client.InNamespace(words[2])); err != nil {
			return nil, err
		}
		for _, pod := range pods.Items {
			address := net.ParseIP(pod.Status.PodIP).To4()
			if pod.Spec.Hostname != words[0] || pod.Spec.Subdomain != words[1] || address == nil {
				continue
			}
			reply.RCode = dnsmessage.RCodeSuccess
			if q.Type == dnsmessage.TypeA {
				reply.Answers = append(reply.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1},
					Body:   &dnsmessage.AResource{A: [4]byte(address)},
				})
			}
		}
	}
	return reply.Pack()
}
