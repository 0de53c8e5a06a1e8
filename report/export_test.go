package report

// What the tests outside the package look at.
var (
	NCCLNumber  = ncclNumber
	RankFigures = rankFigures
)

type (
	JUnitSuite  = junitSuite
	ShortResult = results
)
