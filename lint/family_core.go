package lint

// core holds the pitfalls of any benchmark, P-01 to P-25.
var core = []Check{}
