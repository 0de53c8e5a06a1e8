package sandbox

var oldDoor []attack // an arm64 program cannot make 32-bit calls
