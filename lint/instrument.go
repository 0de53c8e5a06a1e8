package lint

// instrument holds the checks of the client itself.
var instrument = []Check{ClientUnmeasured, ClientError, ClientDrift, ClientLimit, TokenCount, OverSaturation, ForeignSource}
