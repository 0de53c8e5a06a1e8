package server

import (
	"net/http"
	"reflect"
	"regexp"
	"strings"
)

var pathParam = regexp.MustCompile(`\{(\w+)(\.\.\.)?\}`)

func (s *Server) openAPI(c *Call) error {
	return c.give(http.StatusOK, describe(s.routes, s.o.Version))
}

// describe makes the OpenAPI 3.1 description of what programs may ask for.
func describe(routes []Route, version string) map[string]any {
	paths := map[string]map[string]any{}
	shapes := map[string]any{
		"Error": map[string]any{"type": "object", "required": []string{"status", "error"}, "properties": map[string]any{
			"status": map[string]any{"type": "integer"}, "error": map[string]any{"type": "string"},
		}},
	}
	for _, r := range routes {
		if r.Kind == HTML || strings.HasPrefix(r.Path, "/assets") {
			continue
		}
		path := pathParam.ReplaceAllString(r.Path, "{$1}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(r.Method)] = operation(r, shapes)
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "assay serve", "version": version, "description": "The warehouse of assay over HTTP."},
		"paths":   paths,
		"components": map[string]any{
			"schemas": shapes,
			"securitySchemes": map[string]any{
				"token":  map[string]any{"type": "http", "scheme": "bearer", "description": "made by assay token new"},
				"issued": map[string]any{"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "signed for this server by an OpenID Connect issuer that assay serve --oidc names"},
			},
		},
	}
}

func operation(r Route, shapes map[string]any) map[string]any {
	op := map[string]any{"summary": r.About, "operationId": operationID(r)}
	params := []map[string]any{}
	for _, m := range pathParam.FindAllStringSubmatch(r.Path, -1) {
		params = append(params, map[string]any{"name": m[1], "in": "path", "required": true, "schema": map[string]any{"type": "string"}})
	}
	for _, p := range r.Query {
		shape := map[string]any{"type": "string"}
		if p.Many {
			shape = map[string]any{"type": "array", "items": shape}
		}
		params = append(params, map[string]any{"name": p.Name, "in": "query", "description": p.About, "schema": shape})
	}
	if r.Method == http.MethodPatch {
		params = append(params, map[string]any{"name": "Upload-Offset", "in": "header", "required": true, "schema": map[string]any{"type": "integer"}})
	}
	if len(params) > 0 {
		op["parameters"] = params
	}
	switch {
	case r.Takes != nil:
		op["requestBody"] = map[string]any{"required": true, "content": map[string]any{string(JSON): map[string]any{"schema": shapeOf(reflect.TypeOf(r.Takes), shapes)}}}
	case len(r.Kinds) > 0:
		content := map[string]any{}
		for _, kind := range r.Kinds {
			content[kind] = map[string]any{}
		}
		op["requestBody"] = map[string]any{"required": true, "content": content}
	case r.Most > 0:
		op["requestBody"] = map[string]any{"required": true, "content": map[string]any{string(Data): map[string]any{}}}
	}
	content := map[string]any{}
	if r.Gives != nil {
		content[string(JSON)] = map[string]any{"schema": shapeOf(reflect.TypeOf(r.Gives), shapes)}
	} else if r.Method != http.MethodDelete {
		content[string(r.Kind)] = map[string]any{}
	}
	good := map[string]any{"description": "done"}
	if len(content) > 0 {
		good["content"] = content
	}
	fault := map[string]any{"description": "refused; the body says why", "content": map[string]any{string(JSON): map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}}}
	op["responses"] = map[string]any{"2XX": good, "4XX": fault, "5XX": fault}
	op["security"] = []map[string]any{}
	if r.Scope != "" {
		op["security"] = []map[string][]string{{"token": {}}, {"issued": {}}}
		op["x-assay-scope"] = string(r.Scope)
	}
	return op
}

func operationID(r Route) string {
	words := strings.FieldsFunc(r.Path, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') })
	return strings.ToLower(r.Method) + "_" + strings.Join(words, "_")
}

// shapeOf is the JSON Schema of a type; structs with a name stand once, among shapes.
func shapeOf(t reflect.Type, shapes map[string]any) map[string]any {
	switch {
	case t.PkgPath() == "time" && t.Name() == "Time":
		return map[string]any{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.Pointer:
		inner := shapeOf(t.Elem(), shapes)
		return map[string]any{"anyOf": []any{inner, map[string]any{"type": "null"}}}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": []string{"number", "null"}} // infinite bounds are null
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": []string{"array", "null"}, "items": shapeOf(t.Elem(), shapes)}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": shapeOf(t.Elem(), shapes)}
	case reflect.Struct:
		return structShape(t, shapes)
	}
	return map[string]any{} // anything
}

func structShape(t reflect.Type, shapes map[string]any) map[string]any {
	name := shapeName(t)
	ref := map[string]any{"$ref": "#/components/schemas/" + name}
	if _, known := shapes[name]; known {
		return ref
	}
	shape := map[string]any{"type": "object"}
	shapes[name] = shape // before its fields, which may hold it again
	properties := map[string]any{}
	var required []string
	fields(t, shapes, properties, &required)
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		delete(shape, "type") // it writes itself
		return ref
	}
	shape["properties"] = properties
	if len(required) > 0 {
		shape["required"] = required
	}
	return ref
}

var marshaler = reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()

func fields(t reflect.Type, shapes, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			fields(f.Type, shapes, properties, required)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			name = f.Name
		}
		properties[name] = shapeOf(f.Type, shapes)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

// shapeName tells types of the same name apart by their package.
func shapeName(t reflect.Type) string {
	pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
	name := strings.NewReplacer("[", "_", "]", "", "/", "_", ".", "_", "*", "").Replace(t.Name())
	if pkg == "server" {
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return strings.ToUpper(pkg[:1]) + pkg[1:] + strings.ToUpper(name[:1]) + name[1:]
}
