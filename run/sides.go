package run

import (
	"context"
	"fmt"

	"assay/plan"
	"assay/record"
	"assay/spec"
)

// A side is one of the systems under test: the only one, or the baseline and its
// candidates. Each has its own address, credentials and server; what is asked of
// them is the same.
type side struct {
	name       string // empty in a run of one side
	target     *spec.Target
	conn       connection
	server     *server
	identified bool // it has been asked what it is
	probed     bool // it has shown the probabilities that the questions need

	notes []string // what it taught before the run; see preflight
}

// connectSides reveals what every side of the plan needs.
func connectSides(p plan.Plan, lookup func(string) (string, bool)) ([]*side, error) {
	if !serves(p) {
		return []*side{{server: &server{}}}, nil
	}
	var list []*side
	for _, s := range p.Sides() {
		conn, err := connect(p.Facing(s.Target), lookup)
		if err != nil {
			return nil, sideError(s.Name, err)
		}
		list = append(list, &side{name: s.Name, target: s.Target, conn: conn, server: newServer(conn.server, s.Target)})
	}
	return list, nil
}

// sideError says which side err is about, where there are several.
func sideError(name string, err error) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("side %s: %w", name, err)
}

// enter makes the side called name the one that the next launch measures.
func (e *execution) enter(name string) error {
	for _, s := range e.sides {
		if s.name == name {
			e.side, e.conn = s, s.conn
			return nil
		}
	}
	return fmt.Errorf("the plan has a launch of side %q and no such side", name)
}

func (e *execution) stopServers() {
	for _, s := range e.sides {
		s.server.stop()
	}
}

// identifySide asks the side under way what it is, once. The facts of a
// candidate stand beside those of the baseline as side.NAME.server.engine and so
// on.
func (e *execution) identifySide(ctx context.Context) error {
	if e.side.identified {
		return nil
	}
	e.side.identified = true
	facts := record.Environment{}
	e.identify(ctx, facts)
	prefix := ""
	if e.side.name != "" && e.side.name != spec.BaselineSide {
		prefix = "side." + e.side.name + "."
	}
	for name, fact := range facts {
		e.env[prefix+name] = fact
	}
	return e.out.SetEnvironment(e.env)
}
