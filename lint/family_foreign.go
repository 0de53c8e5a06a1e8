package lint

// foreignResults holds the checks of imports: what the files of another tool say
// about themselves against the requests in them. What they do not say at all is
// foreign-source, among the checks of the instrument.
var foreignResults = []Check{ForeignRepeats, ForeignCounts, ForeignLengths, ForeignWindow, ForeignStatistics}
