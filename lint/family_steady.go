package lint

// steadyState holds the checks of warm-up and steady state, inside a launch and over
// launches.
var steadyState = []Check{InsufficientWarmup, NotSteady, OutlierLaunches, LaunchModes, LaunchTrend, SharesDiffer}
