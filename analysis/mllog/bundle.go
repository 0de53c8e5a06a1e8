package mllog

import (
	"fmt"

	"assay/bundle"
	"assay/metric"
	"assay/metric/exchange"
	"assay/plan"
)

// Log is what one launch of a bundle would have logged at one point of training.
//
// It is open and of no benchmark: nobody cleared caches, evaluation is the loss of
// each step on its own batch, and run_stop is success only where the loss fell to
// spec.train.targetLoss.
func Log(b *bundle.Bundle, p plan.Plan, info bundle.LaunchInfo, point int) ([]Event, error) {
	launch, err := metric.ReadRanks(b, p, info)
	if err != nil {
		return nil, err
	}
	for _, one := range launch.Points {
		if one.Index == point && one.Ranked != nil && one.Ranked.Plan.Steps != nil {
			return logOf(one.Ranked, p, info)
		}
	}
	return nil, fmt.Errorf("launch %d: point %d has no steps of training", info.Index+1, point)
}

func logOf(r *metric.Ranked, p plan.Plan, info bundle.LaunchInfo) ([]Event, error) {
	var steps []exchange.Step
	for _, s := range r.ByStep() {
		if s.Trained() {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("launch %d: no step with gradient exchange", info.Index+1)
	}
	var list []Event
	add := func(at int64, kind, key string, value any, metadata map[string]any) {
		list = append(list, Event{TimeMS: info.Started.UnixMilli() + at/1e6, Type: kind, Key: key, Value: value, Metadata: metadata})
	}
	first := steps[0].Rows[0].Start
	began, device := first, "unknown"
	for _, row := range r.World {
		if row.Started != nil {
			began = min(began, *row.Started)
		}
		device = row.Device
	}
	plan := r.Plan.Steps
	add(began, PointInTime, "submission_benchmark", p.Run.Metadata.Name, nil)
	add(began, PointInTime, "submission_org", "assay", nil)
	add(began, PointInTime, "submission_division", "open", nil)
	add(began, PointInTime, "submission_platform", fmt.Sprintf("%dx%s", r.Plan.Ranks, device), nil)
	add(began, PointInTime, "cache_clear", false, nil)
	add(began, IntervalStart, "init_start", nil, nil)
	add(began, PointInTime, "global_batch_size", plan.GlobalBatch, nil)
	add(began, PointInTime, "gradient_accumulation_steps", plan.Accumulation, nil)
	add(began, PointInTime, "opt_name", plan.Optimizer, nil)
	add(began, PointInTime, "max_sequence_length", plan.Shape.SequenceLength, nil)
	add(began, PointInTime, "train_samples", len(steps)*plan.GlobalBatch, nil)
	add(began, PointInTime, "eval_samples", 0, nil)
	add(first, IntervalEnd, "init_stop", nil, nil)
	add(first, IntervalStart, "run_start", nil, nil)
	add(first, IntervalStart, "block_start", nil, map[string]any{"samples_count": 0})
	samples, status, end := 0, "aborted", first
	for _, s := range steps {
		samples += plan.GlobalBatch
		for _, row := range s.Rows {
			end = max(end, row.End)
		}
		loss, known := meanLoss(s)
		if !known {
			continue
		}
		seen := map[string]any{"samples_count": samples, "loss_of": "the step's own batch"}
		add(end, IntervalStart, "eval_start", nil, seen)
		add(end, PointInTime, "eval_accuracy", loss, seen)
		add(end, IntervalEnd, "eval_stop", nil, seen)
		if plan.TargetLoss > 0 && loss <= plan.TargetLoss {
			status = "success"
			break
		}
	}
	add(end, IntervalEnd, "block_stop", nil, map[string]any{"samples_count": samples})
	add(end, IntervalEnd, "run_stop", nil, map[string]any{"status": status, "samples_count": samples})
	return list, nil
}

func meanLoss(s exchange.Step) (float64, bool) {
	sum := 0.0
	for _, row := range s.Rows {
		if row.Loss == nil {
			return 0, false
		}
		sum += *row.Loss
	}
	return sum / float64(len(s.Rows)), true
}
