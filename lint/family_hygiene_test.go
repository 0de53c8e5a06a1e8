package lint

var hygieneTrips = []trip{}
