package assistant

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"assay/bundle"
	"assay/visible"
)

// The beginnings of the names of resources.
const (
	docPrefix    = "assay://docs/"
	bundlePrefix = "assay://bundle/"
)

// mostResources bounds the bundles that are listed; search finds the others.
const mostResources = 200

// addResources offers the documentation and the bundles. Bundles come and go, so they
// are listed when somebody asks.
func (s *Server) addResources() {
	s.eachPage(func(path, title, _ string) { // what is embedded can be read
		s.mcp.AddResource(&mcp.Resource{URI: docPrefix + path, Name: path, Title: title, MIMEType: "text/markdown"}, s.readPage)
	})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: bundlePrefix + "{name}", Name: "bundle", Title: "Results of a run", MIMEType: "application/json",
		Description: "What the tool report answers, by run id or digest.",
	}, s.readBundle)
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: bundlePrefix + "{name}/spec", Name: "spec", Title: "Document of a run", MIMEType: "application/yaml",
		Description: "The document that was run, as it was sealed.",
	}, s.readSpec)
	s.mcp.AddReceivingMiddleware(s.listBundles)
}

// listBundles adds the bundles to the list of resources, on its first page.
func (s *Server) listBundles(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		list, is := result.(*mcp.ListResourcesResult)
		if ask, asks := req.(*mcp.ListResourcesRequest); err != nil || !is || !asks || ask.Params != nil && ask.Params.Cursor != "" {
			return result, err
		}
		runs, err := s.runs(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range runs[:min(mostResources, len(runs))] {
			list.Resources = append(list.Resources, &mcp.Resource{
				URI: bundlePrefix + strings.TrimPrefix(r.Bundle, "sha256:"), Name: visible.Line(r.RunID), Title: visible.Line(strings.TrimSpace(r.Name + " " + r.Created)), MIMEType: "application/json",
			})
		}
		return list, nil
	}
}

func content(uri, kind, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}

func (s *Server) readPage(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	text, err := fs.ReadFile(s.opts.Docs, strings.TrimPrefix(req.Params.URI, docPrefix))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	return content(req.Params.URI, "text/markdown", string(text)), nil
}

// named is the bundle that a resource is about.
func named(uri, end string) (string, error) {
	return url.PathUnescape(strings.TrimSuffix(strings.TrimPrefix(uri, bundlePrefix), end))
}

func (s *Server) readBundle(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	name, err := named(req.Params.URI, "")
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	var text []byte
	err = s.compute(ctx, func() error {
		r, err := s.report(ctx, reportAsk{Bundle: name})
		if err != nil {
			return err
		}
		data, err := json.Marshal(r)
		if err != nil {
			return err
		}
		text, err = visibleValues(data)
		return err
	})
	return content(req.Params.URI, "application/json", string(text)), err
}

func (s *Server) readSpec(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	name, err := named(req.Params.URI, "/spec")
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	dir, err := s.access.bundle(ctx, name)
	if err != nil {
		return nil, err
	}
	b, err := bundle.OpenVerified(dir, s.opts.Trust)
	if err != nil {
		return nil, err
	}
	if !b.Seal.Verified {
		return nil, &bundle.SealError{Seal: *b.Seal}
	}
	text, err := b.ReadSealed(bundle.SpecFile)
	return content(req.Params.URI, "application/yaml", visible.Text(string(text))), err
}
