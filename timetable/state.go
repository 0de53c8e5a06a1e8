package timetable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/alert"
	"assay/intake"
	"assay/schedule"
)

// stateVersion is that of the format of a state file.
const stateVersion = "1.0"

// mostState is the largest state file that is read.
const mostState = 16 << 20

// A State is what is known of a schedule. It is written before what it says is done, and
// whole or not at all.
type State struct {
	Version   string          `json:"version"`
	Name      string          `json:"name"`
	DecidedBy string          `json:"decidedBy"`        // the schedule and time zone; another one begins when it is first seen
	Decided   time.Time       `json:"decided"`          // every due time up to here has its run or is counted
	Waiting   time.Time       `json:"waiting,omitzero"` // a due time that an active run blocks
	Next      time.Time       `json:"next,omitzero"`
	Suspended bool            `json:"suspended"`
	Active    []ActiveRun     `json:"active"`
	Missed    []schedule.Miss `json:"missed"`
	Ended     []EndedRun      `json:"ended"` // the newest, the oldest first
	Alerts    alert.Book      `json:"alerts"`
}

// An ActiveRun is one that has not ended, as far as is known.
type ActiveRun struct {
	Due     time.Time `json:"due"`
	Started time.Time `json:"started"`
	Folder  string    `json:"folder"`
}

// An EndedRun is one that has.
type EndedRun struct {
	Due      time.Time `json:"due"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	RunID    string    `json:"runID"`
	Digest   string    `json:"digest"`
	Status   string    `json:"status"`
	Note     string    `json:"note"`
	Problems []string  `json:"problems"` // their titles
}

// stateFile is where the state of a schedule lies.
func stateFile(dir, name string) string { return filepath.Join(dir, name+".json") }

// States reads every state in a folder, by name.
func States(dir string) ([]State, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []State{}, nil
	}
	if err != nil {
		return nil, err
	}
	list := []State{}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".json"); ok && !strings.HasPrefix(name, ".") {
			s, err := readState(dir, name)
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// readState reads a state; one that there is not yet has the zero version.
func readState(dir, name string) (State, error) {
	data, err := intake.ReadFile(stateFile(dir, name), mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return State{Name: name}, nil
	}
	if err != nil {
		return State{}, err
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("%s is damaged (%w): move it away to begin anew; due times that it decided are not made up for", stateFile(dir, name), err)
	}
	if s.Version != stateVersion {
		return s, fmt.Errorf("%s is of version %q, this program writes %s: use the program that wrote it", stateFile(dir, name), s.Version, stateVersion)
	}
	return s, nil
}

// write puts the state on the disk: after a kill or a power cut there is the old one or
// the new one.
func (s State) write(dir string) (err error) {
	s.Version = stateVersion
	s.Active, s.Missed, s.Ended = listed(s.Active), listed(s.Missed), listed(s.Ended)
	s.Alerts.Open, s.Alerts.Outbox, s.Alerts.Lost = listed(s.Alerts.Open), listed(s.Alerts.Outbox), listed(s.Alerts.Lost)
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".state-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeIfThere(f.Name())) }()
	if _, err = f.Write(append(data, '\n')); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), stateFile(dir, s.Name)); err != nil {
		return err
	}
	return syncFolder(dir)
}

// listed is a list that JSON shows as one, also where it is empty.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
