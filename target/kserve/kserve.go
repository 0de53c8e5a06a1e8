// Package kserve holds the messages of the Open Inference Protocol as Go types. It
// neither sends nor stamps: package target puts them on the wire and takes them off
// it.
//
// kserve.proto describes them and make generate writes kserve.pb.go from it. To use
// another field of the protocol, name it there under the number that the protocol
// gives it.
package kserve
