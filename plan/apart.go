package plan

import "assay/spec"

// apart is how many requests the launches of p send outside of every point: the
// first ones of a fresh server, and the prompts of a cache probe.
func apart(p Plan) (requests int64) {
	s := p.Run.Spec
	launches := int64(len(p.Launches))
	if s.Load != nil && s.Load.CacheProbe != nil {
		requests += launches * 2 * int64(s.Load.CacheProbe.Pairs)
	}
	if s.Target == nil || s.Target.Server == nil {
		return requests
	}
	cold, warm := s.Target.Server.Cold.Requests, s.Target.Server.Cold.Warm
	if cold == nil || *cold == 0 {
		return requests
	}
	one := int64(*cold)
	if warm != nil {
		one += int64(*warm)
	}
	if s.Target.Server.Restart == spec.RestartRun {
		return requests + min(1, launches)*one // it starts once
	}
	return requests + launches*one
}
