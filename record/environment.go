package record

// A Fact is one thing known about the machine or the software a run used. What
// could not be read says why instead of being left out.
type Fact struct {
	Value       any    `json:"value,omitempty"` // string, bool, number or list of strings
	Unavailable string `json:"unavailable,omitempty"`
}

// An Environment is every fact by its dotted name, such as cpu.model or
// gpu.0.uuid. It is flat so that two of them can be compared name by name.
type Environment map[string]Fact

// Set records that name is value.
func (e Environment) Set(name string, value any) { e[name] = Fact{Value: value} }

// Miss records that name could not be read, and why.
func (e Environment) Miss(name, reason string) { e[name] = Fact{Unavailable: reason} }
