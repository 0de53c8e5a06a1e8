package lint

// steadyState holds the checks of warm-up and steady state.
var steadyState = []Check{InsufficientWarmup, NotSteady}
