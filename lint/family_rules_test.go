package lint

var ruleTrips = []trip{}
