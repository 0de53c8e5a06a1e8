package lint

var coreTrips = []trip{}
