package load

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"assay/record"
	"assay/workload/arrival"
)

// A Level is how many users there are from a time on.
type Level struct {
	After time.Duration // since the measurement began
	Users int           // of all shards together
}

// Levels is a profile of numbers of users in whole users: the number changes
// where the profile passes half a user.
func Levels(profile arrival.Profile) []Level {
	list := []Level{{0, 0}}
	change := func(after time.Duration, users int) {
		if last := &list[len(list)-1]; last.After == after {
			last.Users = users
		} else if last.Users != users {
			list = append(list, Level{after, users})
		}
	}
	var begin time.Duration
	for _, s := range profile {
		from, to := int(math.Round(s.From)), int(math.Round(s.To))
		switch {
		case s.Curve == arrival.Linear || s.Curve == arrival.Exponential:
			change(begin, from)
			for users := from; users < to; users++ {
				change(begin+crossing(s, float64(users)+0.5), users+1)
			}
			for users := from; users > to; users-- {
				change(begin+crossing(s, float64(users)-0.5), users-1)
			}
		default:
			change(begin, to)
		}
		begin += s.Duration
	}
	return list
}

// crossing is when a ramp reaches the value v, which lies between its ends.
func crossing(s arrival.Stage, v float64) time.Duration {
	share := (v - s.From) / (s.To - s.From)
	if s.Curve == arrival.Exponential {
		share = math.Log(v/s.From) / math.Log(s.To/s.From)
	}
	return time.Duration(share * float64(s.Duration))
}

// A userPool is the users of a closed loop. Without levels all of them are at work
// from the beginning to the end. With levels the user with number k is at work
// while the level is above k: one who is not wanted any more leaves after its
// answer, and the number begins anew when it is wanted again.
type userPool struct {
	users  int // of this shard
	shard  int
	shards int
	levels []Level
	join   func(number int32, due int64)
	late   func(number int32) int64 // how long after the others a first user begins

	present sync.WaitGroup // every user at work
	setter  sync.WaitGroup // whoever changes the level

	mu      sync.Mutex
	level   int    // of all shards together
	working []bool // by place in the shard
}

func newUserPool(c Closed, join func(number int32, due int64)) *userPool {
	w := &userPool{users: c.Users, shard: c.Shard, shards: max(1, c.Shards), levels: c.Levels, join: join}
	w.working = make([]bool, w.users)
	w.late = func(number int32) int64 {
		if c.Spread == 0 {
			return 0
		}
		return rand.New(rand.NewPCG(uint64(c.SpreadSeed), uint64(number))).Int64N(int64(c.Spread))
	}
	return w
}

// start makes the first users begin: those of the first level, which holds
// through the warm-up too, or all.
func (w *userPool) start(due int64) {
	level := math.MaxInt
	if len(w.levels) > 0 {
		level = w.levels[0].Users
	}
	w.set(level, func(number int32) int64 { return due + w.late(number) })
}

// follow changes the level as time goes on from the stamp begin, until ctx ends.
// wait returns after it.
func (w *userPool) follow(ctx context.Context, clock *record.Clock, begin int64) {
	if len(w.levels) < 2 {
		return
	}
	w.setter.Go(func() {
		for _, l := range w.levels[1:] {
			at := begin + int64(l.After)
			if (Timers{clock}).Wait(ctx, at) != nil {
				return
			}
			w.set(l.Users, func(int32) int64 { return at })
		}
	})
}

// set makes the level hold and those begin whom it calls for.
func (w *userPool) set(level int, due func(number int32) int64) {
	w.mu.Lock()
	w.level = level
	var called []int32
	for place := range w.working {
		if number := place*w.shards + w.shard; number < level && !w.working[place] {
			w.working[place] = true
			w.present.Add(1)
			called = append(called, int32(number))
		}
	}
	w.mu.Unlock()
	for _, number := range called {
		w.join(number, due(number))
	}
}

// wants reports whether a user is to go on. One who is not has left its place.
func (w *userPool) wants(number int32) bool {
	if len(w.levels) == 0 {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if int(number) < w.level {
		return true
	}
	w.working[(int(number)-w.shard)/w.shards] = false
	return false
}

// stay makes wait expect one more left.
func (w *userPool) stay() { w.present.Add(1) }

// left notes that a user has stopped.
func (w *userPool) left() { w.present.Done() }

// wait returns when every user has stopped. The context that they work under
// must have ended.
func (w *userPool) wait() {
	w.setter.Wait()
	w.present.Wait()
}
