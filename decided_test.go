package assay

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// The plan decides: whoever reads one asks what it decided (plan/decided.go) and does
// not reach through it into the document that it was made from.
func TestPlanDecides(t *testing.T) {
	report(t, reaches(thisTree(t)))
}

// Planted, the fault is found; a document that is no plan's may be read.
func TestPlanDecidesIsTested(t *testing.T) {
	faults := reaches(plant(t, `-- lint/a.go --
package lint
func a(f facts) any { return f.Plan.Run.Spec.Load }
-- report/a.go --
package report
func b(p plan) any { return p.Run.Spec }
-- foreign/a.go --
package foreign
func c(doc document) any { return doc.Run.Spec.Load }
-- lint/a_test.go --
package lint
func d(f facts) any { return f.Plan.Run.Spec.Load }`))
	if len(faults) != 2 || !strings.HasPrefix(faults[0], "lint/a.go:2") || !strings.HasPrefix(faults[1], "report/a.go:2") {
		t.Errorf("found %q, want those of lint/a.go and report/a.go", faults)
	}
}

// planNames are what plans are called.
var planNames = []string{"p", "own", "plan", "Plan"}

// reaches are the places outside of plan that reach into the document of a plan.
func reaches(tree []source) (faults []string) {
	for _, s := range tree {
		// Test support makes plans as it needs them.
		if s.test || s.room() == "plan" || s.room() == "tests" || strings.HasSuffix(s.dir, "test") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			document, ok := n.(*ast.SelectorExpr)
			if !ok || document.Sel.Name != "Spec" {
				return true
			}
			run, ok := document.X.(*ast.SelectorExpr)
			if ok && run.Sel.Name == "Run" && slices.Contains(planNames, lastName(run.X)) {
				at := s.fset.Position(n.Pos())
				faults = append(faults, fmt.Sprintf("%s:%d reaches into the document of a plan: ask the plan (plan/decided.go)", s.path, at.Line))
			}
			return true
		})
	}
	return faults
}

// lastName is the name that an expression ends with.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}
