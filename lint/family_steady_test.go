package lint

var steadyTrips = []trip{}
