package lint

var servingTrips = []trip{}
