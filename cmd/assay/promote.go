package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/bundle"
	"assay/claim"
	"assay/judge"
	"assay/spec"
	"assay/suite/published"
)

func promoteCommand(env Env) *cobra.Command {
	var p published.Promotion
	var trust trustFlags
	var policy string
	var anyway, asJSON bool
	cmd := &cobra.Command{
		Use:   "promote BUNDLE --to DIR --why REASON",
		Short: "Publish a bundle as the one that counts",
		Long: `Promote copies a bundle into the published package: DIR/current holds the one bundle
that counts, DIR/archive what counted before, and DIR/promotions.jsonl every promotion,
each line with the digest of the line before. Nothing is published by being measured.

The bundle and its copy are verified. One that did not complete, of which nothing may
be quoted, or that is a quick look is refused. It must be signed and of publication
grade, or of the grade and by the keys that --policy asks for; --anyway publishes it all
the same, and the record says despite what.

Exit codes: 0 published, 2 usage error, 3 refused, 4 the bundle was changed after
sealing.`,
		Args: exactArgs(1, "a bundle"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.To == "" || strings.TrimSpace(p.Why) == "" {
				return usageError(errors.New("--to and --why: say where it is published, and why"))
			}
			demands, err := publicationDemands(env, policy)
			if err != nil {
				return err
			}
			trust.ids = demands.TrustedKeys
			j, err := trust.decide(env, args[0])
			if err != nil {
				return err
			}
			if against := unpublishable(j); against != "" {
				return &exitError{exitVerdict, fmt.Errorf("%s is not published: %s", args[0], against)}
			}
			p.Despite = unmet(j, demands.Grade)
			if len(p.Despite) > 0 && !anyway {
				return &exitError{exitVerdict, fmt.Errorf("%s is not published: %s; --anyway publishes it all the same and keeps that", args[0], strings.Join(p.Despite, "; "))}
			}
			p.Bundle, p.RunID, p.Digest, p.At = args[0], filepath.Base(filepath.Clean(j.Bundle.Dir)), j.Bundle.Manifest.Digest, time.Now()
			p.Check = func(dir string) error { _, err := trust.decide(env, dir); return err }
			act, err := published.Promote(cmd.Context(), p)
			switch {
			case err != nil:
				return &exitError{exitVerdict, err}
			case asJSON:
				return printJSON(env.Stdout, act)
			}
			_, err = fmt.Fprintf(env.Stdout, "%s is published in %s\n", act.Subject, filepath.Join(p.To, published.Current))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.To, "to", "", "folder of the published package")
	f.StringVar(&p.Why, "why", "", "the reason, which is kept")
	f.StringVar(&policy, "policy", "", "GatePolicy whose grade and keys the bundle must have; without it publication grade and any signature")
	f.BoolVar(&anyway, "anyway", false, "publish although the signature or the grade is missing; the record says so")
	f.StringVar(&p.By, "by", "", "who decided, which is kept")
	f.BoolVar(&asJSON, "json", false, "print the act as JSON")
	trust.add(cmd)
	return cmd
}

// publicationDemands are what a policy asks of what is published, or what is asked without one.
func publicationDemands(env Env, file string) (spec.GateDemands, error) {
	if file == "" {
		return spec.GateDemands{Grade: string(claim.Publication)}, nil
	}
	policy, err := readPolicy(env, file)
	return policy.Spec, err
}

// unpublishable is why a bundle may not be published, whatever anybody says; empty when it
// may.
func unpublishable(j *judge.Judgement) string {
	if status := j.Bundle.Manifest.Status; status != bundle.Completed {
		return fmt.Sprintf("it is %s", status)
	}
	if j.Plan.Trials().Quick {
		return "it is a quick look, of which nothing may be quoted"
	}
	for _, refusal := range j.Claims.ForbiddenSpeed() {
		if len(j.Claims.Claims) == 0 {
			return refusal.Reason
		}
	}
	return ""
}

// unmet lists what a bundle has not and a publication wants: a signature and a grade.
func unmet(j *judge.Judgement, grade string) (list []string) {
	if id := j.Bundle.Manifest.Signer.KeyID; id == "" || id == bundle.Unsigned {
		list = append(list, "nobody signed it (assay keygen makes a key; assay run --key signs with it)")
	}
	grades := spec.Vocabularies["gateGrades"]
	if slices.Index(grades, string(j.Claims.Grade)) > slices.Index(grades, grade) {
		why := strings.Join(j.Claims.Downgrades, ", ")
		if why == "" {
			why = "its class is " + j.Claims.Asked + ": intent.benchmarkClass"
		}
		list = append(list, fmt.Sprintf("it is of %s grade, and %s grade is wanted (%s)", j.Claims.Grade, grade, why))
	}
	for _, c := range j.Claims.Claims {
		if c.Headline && c.Grade != j.Claims.Grade && slices.Index(grades, string(c.Grade)) > slices.Index(grades, grade) {
			list = append(list, fmt.Sprintf("its headline stands on a p99 of %d launches, and a p99 is published of %d or more (trials.minReplicates)", c.Launches, spec.LaunchesForTail))
		}
	}
	return list
}
