package target

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"assay/record"
)

// serveGRPC is serve over HTTP/2 without TLS: what write sends as HTTP/1.1
// becomes DATA frames cut in the same places, and a good status follows.
func serveGRPC(t *testing.T, write func(conn net.Conn, r *http.Request)) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		ours, theirs := net.Pipe()
		defer ours.Close()
		go func() { // ends when the answer is written
			write(theirs, r)
			theirs.Close()
		}()
		answer, err := http.ReadResponse(bufio.NewReader(ours), r)
		if err != nil {
			t.Error(err)
			return
		}
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		for b := make([]byte, 4096); ; {
			n, err := answer.Body.Read(b)
			w.Write(b[:n])
			http.NewResponseController(w).Flush()
			if err != nil {
				break
			}
		}
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// inference finds the messages of the protocol by their names.
func inference(t testing.TB) func(name string) *dynamicpb.Message {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "inference.prototext"))
	if err != nil {
		t.Fatal(err)
	}
	var described descriptorpb.FileDescriptorProto
	if err := prototext.Unmarshal(text, &described); err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.NewFile(&described, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) *dynamicpb.Message {
		return dynamicpb.NewMessage(file.Messages().ByName(protoreflect.Name(name)))
	}
}

// parse makes a message of the protocol from its text form.
func parse(t testing.TB, name, text string) proto.Message {
	t.Helper()
	m := inference(t)(name)
	if err := prototext.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// saying is a message of a stream as Triton sends it.
func saying(text string, final bool) string {
	raw := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	return fmt.Sprintf(`infer_response { model_name: "ensemble" model_version: "1" id: "7"
		parameters { key: "sequence_id" value { int64_param: 0 } }
		parameters { key: "triton_final_response" value { bool_param: %v } }
		outputs { name: "text_output" datatype: "BYTES" shape: [1, 1] }
		raw_output_contents: %q }`, final, string(raw)+text)
}

// The recordings are bytes of the library; -update makes them anew.
func TestGRPCRecordings(t *testing.T) {
	stream := []string{saying("hé", false), saying(" wor", false), saying("ld", false),
		`infer_response { model_name: "ensemble" id: "7" parameters { key: "triton_final_response" value { bool_param: true } } }`}
	failing := []string{saying("hé", false), `error_message: "the engine ran out of KV cache"`}
	unary := `model_name: "ensemble" id: "7" outputs { name: "text_output" datatype: "BYTES" shape: [1, 1] contents { bytes_contents: "h\303\251 world" } }
		outputs { name: "cum_log_probs" datatype: "FP32" shape: [1, 1] contents { fp32_contents: -1.5 } }`
	check := func(name string, messages ...proto.Message) {
		t.Helper()
		var want []byte
		for _, m := range messages {
			data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, grpcMessage(data)...)
		}
		file := filepath.Join("testdata", "dialects", "kserve-grpc", name)
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what the library writes (%v); -update writes it anew", name, err)
		}
	}
	each := func(texts []string) (list []proto.Message) {
		for _, text := range texts {
			list = append(list, parse(t, "ModelStreamInferResponse", text))
		}
		return list
	}
	check("stream.grpcstream", each(stream)...)
	check("error.grpcstream", each(failing)...)
	check("unary.grpc", parse(t, "ModelInferResponse", unary))
}

// A tritonLike is a server of Google's library that answers by the name of the
// model and keeps what it was asked.
type tritonLike struct {
	t        testing.TB
	asked    chan proto.Message
	metadata chan metadata.MD
	stop     func()
	patience time.Duration // between a message and the server's death
}

func (s *tritonLike) handle(_ any, stream grpc.ServerStream) error {
	request := inference(s.t)("ModelInferRequest")
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	md, _ := metadata.FromIncomingContext(stream.Context())
	s.asked <- request
	s.metadata <- md
	model := request.Get(request.Descriptor().Fields().ByName("model_name")).String()
	if method, _ := grpc.MethodFromServerStream(stream); strings.HasSuffix(method, "/ModelInfer") {
		return stream.SendMsg(parse(s.t, "ModelInferResponse", `id: "7" outputs { datatype: "BYTES" contents { bytes_contents: "whole" } }`))
	}
	say := func(text string) error { return stream.SendMsg(parse(s.t, "ModelStreamInferResponse", text)) }
	switch model {
	case "refuses":
		return status.Error(codes.ResourceExhausted, "too many requests: 100% busy")
	case "fails":
		return fmt.Errorf("after %v: %w", say(saying("half", false)), status.Error(codes.Internal, "CUDA error"))
	case "dies":
		if err := say(saying("half", false)); err != nil {
			return err
		}
		time.Sleep(s.patience) // let the message out
		go s.stop()
		<-stream.Context().Done()
		return stream.Context().Err()
	}
	for i, word := range []string{"one", " two", " three"} {
		if i > 0 {
			time.Sleep(60 * time.Millisecond)
		}
		if err := say(saying(word, i == 2)); err != nil {
			return err
		}
	}
	return nil
}

// startTriton serves until the test ends.
func startTriton(t *testing.T, options ...grpc.ServerOption) (*tritonLike, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &tritonLike{t: t, asked: make(chan proto.Message, 1), metadata: make(chan metadata.MD, 1)}
	server := grpc.NewServer(append(options, grpc.UnknownServiceHandler(s.handle))...)
	s.stop = server.Stop
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }() // ends with Stop
	t.Cleanup(func() {
		server.Stop()
		<-served
	})
	return s, listener.Addr().String()
}

func grpcClient(t *testing.T, url, model string, change func(*Config)) *Client {
	t.Helper()
	return simClient(t, url, "kserve-grpc", "", func(cfg *Config) {
		cfg.Ask = Ask{Model: model, Stream: true}
		if change != nil {
			change(cfg)
		}
	})
}

// What assay writes, Google's library reads, over a connection of its own server;
// and each message has its own stamp.
func TestGRPCAgainstTheLibrary(t *testing.T) {
	server, address := startTriton(t)
	half := 0.5
	c := grpcClient(t, "http://"+address, "words", func(cfg *Config) {
		cfg.Ask.Temperature = &half
		cfg.Header.Set("Authorization", "Bearer secret")
		cfg.Ask.ExtraBody = map[string]any{
			"parameters": map[string]any{"priority": 3, "share": 0.25, "user": "u", "echo": false},
			"inputs": []any{
				map[string]any{"name": "top_k", "datatype": "UINT32", "shape": []any{1}, "data": []any{5}},
				map[string]any{"name": "max_tokens", "datatype": "INT64", "shape": []any{1, 1}, "data": []any{-2}},
				map[string]any{"name": "seeds", "datatype": "UINT64", "data": []any{uint64(1) << 63}},
				map[string]any{"name": "bias", "datatype": "FP64", "data": []any{1.25}},
			},
		}
	})
	r, chunks := ask6(t, t.Context(), c)
	if r.Result != record.OK || r.Text != "one two three" || r.ServerID != "7" || r.Protocol != "HTTP/2.0" || r.Status != 200 {
		t.Fatalf("outcome %q (%s), text %q, id %q over %s", r.Result, r.Error, r.Text, r.ServerID, r.Protocol)
	}
	if got := kinds(chunks); got != "content content content done" {
		t.Errorf("chunks %s, want three of content and the mark of the last", got)
	}
	if first := time.Duration(chunks[2].At - chunks[0].At); first < 60*time.Millisecond {
		t.Errorf("the third message came %v after the first, which the server sent 120ms before", first)
	}
	if r.Wrote == nil || r.First == nil || r.Dial == nil {
		t.Errorf("wrote %v, first byte %v, connect %v: want all three", r.Wrote, r.First, r.Dial)
	}
	want := parse(t, "ModelInferRequest", `model_name: "words" id: "7"
		parameters { key: "echo" value { bool_param: false } }
		parameters { key: "priority" value { int64_param: 3 } }
		parameters { key: "share" value { double_param: 0.25 } }
		parameters { key: "user" value { string_param: "u" } }
		inputs { name: "text_input" datatype: "BYTES" shape: [1, 1] contents { bytes_contents: "hello" } }
		inputs { name: "temperature" datatype: "FP32" shape: [1, 1] contents { fp32_contents: 0.5 } }
		inputs { name: "stream" datatype: "BOOL" shape: [1, 1] contents { bool_contents: true } }
		inputs { name: "top_k" datatype: "UINT32" shape: 1 contents { uint_contents: 5 } }
		inputs { name: "max_tokens" datatype: "INT64" shape: [1, 1] contents { int64_contents: -2 } }
		inputs { name: "seeds" datatype: "UINT64" shape: [1, 1] contents { uint64_contents: 9223372036854775808 } }
		inputs { name: "bias" datatype: "FP64" shape: [1, 1] contents { fp64_contents: 1.25 } }
		outputs { name: "text_output" }`)
	if asked := <-server.asked; prototext.Format(asked) != prototext.Format(want) {
		t.Errorf("the server read\n%s\nwant\n%s", prototext.Format(asked), prototext.Format(want))
	}
	if md := <-server.metadata; strings.Join(md.Get("authorization"), "") != "Bearer secret" {
		t.Errorf("metadata %v lacks the credential", md)
	}
}

// dies asks a server that ends between two messages. What the kernel had not handed over
// by then is lost with the connection, so that on a busy host the server waits longer.
func dies(t *testing.T) {
	t.Helper()
	for patience := 20 * time.Millisecond; ; patience *= 4 {
		server, address := startTriton(t)
		server.patience = patience
		r, _ := ask6(t, t.Context(), grpcClient(t, "http://"+address, "dies", nil))
		if r.Result == record.Reset && r.Text == "half" {
			return
		}
		if r.Result != record.Reset || patience > 4*time.Second {
			t.Fatalf("dies: outcome %q (%s), text %q; want reset after \"half\"", r.Result, r.Error, r.Text)
		}
	}
}

// The status of the server decides, wherever it comes.
func TestGRPCOutcomes(t *testing.T) {
	f := func(model string, outcome record.Outcome, problem, text string) {
		t.Helper()
		_, address := startTriton(t)
		r, _ := ask6(t, t.Context(), grpcClient(t, "http://"+address, model, nil))
		if r.Result != outcome || !strings.Contains(r.Error, problem) || r.Text != text {
			t.Errorf("%s: outcome %q (%s), text %q; want %q (%s), %q", model, r.Result, r.Error, r.Text, outcome, problem, text)
		}
	}
	f("refuses", record.HTTPError, "grpc-status 8 RESOURCE_EXHAUSTED: too many requests: 100% busy", "")
	f("fails", record.StreamErr, "CUDA error", "half")
	dies(t)
	_, address := startTriton(t)
	r, chunks := ask6(t, t.Context(), grpcClient(t, "http://"+address, "words", func(cfg *Config) { cfg.Ask.Stream = false }))
	if r.Result != record.OK || r.Text != "whole" || len(chunks) != 0 || !strings.Contains(r.Flags, "unary") {
		t.Errorf("not streamed: outcome %q (%s), text %q, flags %q", r.Result, r.Error, r.Text, r.Flags)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Millisecond, ErrRunEnded)
	defer cancel()
	if r, _ := ask6(t, ctx, grpcClient(t, "http://"+address, "words", nil)); r.Result != record.Cut {
		t.Errorf("the run ended: outcome %q (%s), want cut", r.Result, r.Error)
	}
}

// A body of gRPC may lie about its end or its compression.
func TestGRPCWithoutStatus(t *testing.T) {
	f := func(body string, status string, outcome record.Outcome, problem string) {
		t.Helper()
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			io.WriteString(w, body)
			if status != "" {
				w.Header().Set(http.TrailerPrefix+"Grpc-Status", status)
			}
		}))
		server.Config.Protocols = new(http.Protocols)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Start()
		defer server.Close()
		r, _ := ask6(t, t.Context(), grpcClient(t, server.URL, "m", nil))
		if r.Result != outcome || !strings.Contains(r.Error, problem) {
			t.Errorf("%q with status %q: outcome %q (%s), want %q (%s)", body, status, r.Result, r.Error, outcome, problem)
		}
	}
	f("", "", record.Truncated, "without a status")
	f("\x00\x00\x00\x00\x00", "", record.Truncated, "without a status")
	f("", "0", record.Empty, "empty body")
	f("\x01\x00\x00\x00\x00", "0", record.Protocol, "no compression was offered")
	f("\x00\x00\x00\x00\x01\xff", "0", record.Protocol, "message of gRPC")
	f("\x00\x00\x00\x00\x07\x0a\x05half\xc3", "0", record.StreamErr, "half")
}

// The same over TLS, whose handshake is recorded.
func TestGRPCOverTLS(t *testing.T) {
	certificate := httptest.NewTLSServer(http.NotFoundHandler())
	defer certificate.Close()
	_, address := startTriton(t, grpc.Creds(credentials.NewServerTLSFromCert(&certificate.TLS.Certificates[0])))
	roots := x509.NewCertPool()
	roots.AddCert(certificate.Certificate())
	r, _ := ask6(t, t.Context(), grpcClient(t, "https://"+address, "words", func(cfg *Config) { cfg.TLS = &tls.Config{RootCAs: roots} }))
	if r.Result != record.OK || r.Text != "one two three" || r.TLS == nil || r.Dial == nil {
		t.Errorf("outcome %q (%s), text %q, handshake %v", r.Result, r.Error, r.Text, r.TLS)
	}
}

// Extra fields that no message has are refused, not left out.
func TestGRPCExtraFields(t *testing.T) {
	f := func(extra map[string]any, want string) {
		t.Helper()
		_, err := kserveGRPC{}.Encode(record.Call{Prompt: "p"}, Ask{Model: "m", ExtraBody: extra})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", extra, err, want)
		}
	}
	tensor := func(kind string, value any) map[string]any {
		return map[string]any{"inputs": []any{map[string]any{"name": "x", "datatype": kind, "data": []any{value}}}}
	}
	f(map[string]any{"ignore_eos": false}, "kserve-grpc takes inputs")
	f(map[string]any{"parameters": map[string]any{"x": nil}}, "parameters.x")
	f(tensor("FP16", 1), `datatype "FP16"`)
	f(tensor("INT32", "one"), "does not fit")
	f(tensor("INT32", 1.5), "does not fit")
	f(tensor("BYTES", 1), "does not fit")
	f(tensor("BOOL", "true"), "does not fit")
	f(tensor("INT8", 128), "does not fit")
	f(tensor("INT32", 1<<31), "does not fit")
	f(tensor("UINT16", -1), "does not fit")
	f(tensor("FP32", 1e300), "does not fit")
}
