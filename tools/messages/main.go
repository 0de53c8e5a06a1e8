// Command messages writes the Go types of a protobuf file beside it: NAME.pb.go for
// NAME.proto. It is what protoc does with Google's plugin, in Go alone, so that make
// generate wants no compiler of the system.
//
//	go -C tools run ./messages ../target/kserve/kserve.proto
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "want one protobuf file")
		os.Exit(2)
	}
	if err := write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(ctx context.Context, path string) error {
	text, err := generate(ctx, path)
	if err != nil {
		return err
	}
	return os.WriteFile(output(path), text, 0o644)
}

// output is the file of Go that belongs to a protobuf file.
func output(path string) string { return strings.TrimSuffix(path, ".proto") + ".pb.go" }

// generate is the Go text of a protobuf file.
func generate(ctx context.Context, path string) ([]byte, error) {
	described, err := describe(ctx, path)
	if err != nil {
		return nil, err
	}
	name := described.GetName()
	// The package of Go is given here and not in the file, where its path would be
	// part of what is generated and go stale when the module moves.
	folder := filepath.Base(filepath.Dir(path))
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{name},
		Parameter:      proto.String("paths=source_relative,M" + name + "=./" + folder),
		ProtoFile:      []*descriptorpb.FileDescriptorProto{described},
	}
	response, err := plugin(ctx, request)
	switch {
	case err != nil:
		return nil, err
	case response.Error != nil:
		return nil, fmt.Errorf("protoc-gen-go: %s", response.GetError())
	case len(response.File) != 1:
		return nil, fmt.Errorf("protoc-gen-go wrote %d files, want one", len(response.File))
	}
	return []byte(response.File[0].GetContent()), nil
}

// describe parses a protobuf file, with its comments.
func describe(ctx context.Context, path string) (*descriptorpb.FileDescriptorProto, error) {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{filepath.Dir(path)}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, filepath.Base(path))
	if err != nil {
		return nil, err
	}
	return protoutil.ProtoFromFileDescriptor(files[0]), nil
}

// plugin runs protoc-gen-go in the version that go.mod pins.
func plugin(ctx context.Context, request *pluginpb.CodeGeneratorRequest) (*pluginpb.CodeGeneratorResponse, error) {
	asked, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", "tool", "protoc-gen-go")
	command.Stdin = bytes.NewReader(asked)
	answer, err := command.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("protoc-gen-go: %w: %s", err, failed.Stderr)
	} else if err != nil {
		return nil, fmt.Errorf("protoc-gen-go: %w", err)
	}
	var response pluginpb.CodeGeneratorResponse
	return &response, proto.Unmarshal(answer, &response)
}
