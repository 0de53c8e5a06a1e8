// Runs a program whose CLOCK_MONOTONIC is ahead of this host's: in a time namespace of its
// own, by so many seconds and nanoseconds. unshare -T of util-linux knows whole seconds.
//
//   cc -O2 -static -o shifted shifted.c
//   shifted SECONDS NANOSECONDS PROGRAM ARGUMENTS...
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	if (unshare(CLONE_NEWTIME)) {
		perror("shifted: unshare");
		return 1;
	}
	FILE *offsets = fopen("/proc/self/timens_offsets", "w");
	if (!offsets || fprintf(offsets, "monotonic %s %s\n", argv[1], argv[2]) < 0 || fclose(offsets)) {
		perror("shifted: timens_offsets");
		return 1;
	}
	pid_t child = fork(); // children are in the namespace; this process is not
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execvp(argv[3], argv + 3);
		perror("shifted: exec");
		_exit(127);
	}
	int status;
	signal(SIGTERM, SIG_IGN); // whoever ends the group ends the child
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
