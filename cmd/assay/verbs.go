package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A group is the verbs of one purpose, in the order of help.
type group struct {
	title string
	verbs []func(Env) *cobra.Command
}

// measureGroup holds the verbs that measure and leave a bundle.
const measureGroup = "Measure:"

// groups lists every verb that help shows.
var groups = []group{
	{"Start here:", []func(Env) *cobra.Command{demoCommand, benchCommand, initCommand, versionCommand}},
	{measureGroup, []func(Env) *cobra.Command{runCommand, rerunCommand, evalCommand, trainCommand, commCommand, probeCommand, netCommand, suiteCommand}},
	{"Analyse:", []func(Env) *cobra.Command{reportCommand, plotCommand, compareCommand, diffAnswersCommand, gradeCommand, scoreCommand, judgeAnswersCommand, diagnoseCommand, scaleCommand, fleetCommand, traceCommand, mllogCommand}},
	{"Judge:", []func(Env) *cobra.Command{gateCommand, lintCommand, claimCommand}},
	{"Prepare:", []func(Env) *cobra.Command{validateCommand, planCommand, schemaCommand, doctorCommand, calibrateCommand, simCommand, intakeCommand, triageCommand}},
	{"Bundles:", []func(Env) *cobra.Command{importCommand, exportCommand, verifyCommand, promoteCommand, recoverCommand, keygenCommand}},
	{"Remember:", []func(Env) *cobra.Command{keepCommand, queryCommand, historyCommand, lineageCommand, markCommand, retainCommand, scheduleCommand}},
	{"Serve:", []func(Env) *cobra.Command{serveCommand, tokenCommand, pushCommand, mcpCommand}},
	{"Nodes:", []func(Env) *cobra.Command{cordonCommand, uncordonCommand}},
}

// rare lists the verbs that work and that help does not show.
var rare = []func(Env) *cobra.Command{attendCommand, clusterCommand, generatorCommand, listCommand, manCommand, operatorCommand, toolsCommand, workerCommand}

// addCommands gives root every verb.
func addCommands(root *cobra.Command, env Env) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, verb := range g.verbs {
			cmd := verb(env)
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	for _, verb := range rare {
		cmd := verb(env)
		cmd.Hidden = true
		root.AddCommand(cmd)
	}
}

// knownVerb refuses a verb that there is not, also beside --help, which would otherwise
// be answered for the whole program.
func knownVerb(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil || cmd != root {
		return nil // it explains itself
	}
	i := slices.IndexFunc(rest, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if i < 0 || strings.HasPrefix(rest[i], "__") { // cobra's own, for completion
		return nil
	}
	return unknownCommand(root, rest[i])
}

// unknownCommand says that there is no such verb, and which is near.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	return usageError(fmt.Errorf("unknown command %q: %s", name, hint(nearest(name, names), "", "see assay --help")))
}

// flagError adds to what is wrong with a flag which one may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return usageError(err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := nearest(missing.GetSpecifiedName(), names)
	return usageError(fmt.Errorf("%w: %s", err, hint(near, "--", "see "+cmd.CommandPath()+" --help")))
}

// hint asks whether one of near was meant, or names where to look.
func hint(near []string, before, otherwise string) string {
	if len(near) == 0 {
		return otherwise
	}
	return "did you mean " + before + strings.Join(near, " or "+before) + "?"
}

// nearest are the names that name may have been meant to be: those that it begins,
// and those at most two letters away, or one for a short name.
func nearest(name string, names []string) []string {
	most := 2
	if len(name) < 5 {
		most = 1
	}
	var near []string
	for _, other := range names {
		if len(name) > 2 && strings.HasPrefix(other, name) || distance(name, other) <= most {
			near = append(near, other)
		}
	}
	slices.Sort(near)
	return near[:min(3, len(near))]
}

// distance is how many letters must be put in, taken out or changed to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
