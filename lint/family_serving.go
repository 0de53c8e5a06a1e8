package lint

// serving holds the pitfalls of load generation and serving, L-01 to L-27.
var serving = []Check{}
