// Package cluster holds the tests that run the program on several hosts: network
// namespaces of this machine with an sshd each, and a Slurm of their own. They need root
// and the Debian packages that make test-cluster installs, and are skipped without them.
package cluster
