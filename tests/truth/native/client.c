// A plain client: as many closed-loop users as asked for on one thread, one recvmsg with
// the kernel's stamp for each read, and nothing else. It is what assay's reads per second
// of processor time are held against: it prints how many reads it made of how many events
// in what processor time, and measures nothing but that.
//
//   cc -O2 -static -o client client.c
//   client PORT USERS TOKENS SPREAD_NS DURATION_NS
//
// Users begin spread over SPREAD, as assay's do, and ask again as soon as they are answered.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { POLLED = 512, READ = 64 << 10 };

static char request[512];
static int request_length;
static int64_t reads, events, stamped; // the kernel begins to stamp a moment after it was first asked

static void die(const char *what)
{
	fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t processor_time(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * INT64_C(1000000000) + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * INT64_C(1000);
}

static void write_request(int tokens)
{
	char body[256];
	int n = snprintf(body, sizeof body, "{\"model\":\"truth\",\"stream\":true,\"max_tokens\":%d,\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}", tokens);
	request_length = snprintf(request, sizeof request,
		"POST /v1/chat/completions HTTP/1.1\r\nHost: truth\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", n, body);
}

static int dial(int poller, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	if (fd < 0 || connect(fd, (void *)&to, sizeof to))
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e))
		die("epoll_ctl");
	return fd;
}

static void ask(int fd)
{
	if (send(fd, request, request_length, MSG_NOSIGNAL) != request_length)
		die("send");
}

// read_once makes one read, counts its events and asks again where it ended an answer.
static void read_once(int fd)
{
	static char buffer[READ];
	char control[64];
	struct iovec to = {buffer, sizeof buffer};
	struct msghdr message = {.msg_iov = &to, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
		die("the server hung up");
	reads++;
	for (char *at = buffer, *end = buffer + n; (at = memmem(at, end - at, "data: {", 7)); at += 7)
		events++;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
		stamped += c->cmsg_type == SO_TIMESTAMPNS;
	if (n >= 5 && !memcmp(buffer + n - 5, "0\r\n\r\n", 5))
		ask(fd);
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr, "client PORT USERS TOKENS SPREAD_NS DURATION_NS\n");
		return 2;
	}
	int users = atoi(argv[2]), begun = 0, poller = epoll_create1(0);
	int64_t spread = atoll(argv[4]), duration = atoll(argv[5]);
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	write_request(atoi(argv[3]));
	int *fds = malloc(users * sizeof *fds);
	for (int i = 0; i < users; i++)
		fds[i] = dial(poller, atoi(argv[1]));
	struct epoll_event ready[POLLED];
	int64_t start = now(), used = processor_time();
	while (now() < start + duration) {
		while (begun < users && now() >= start + spread * begun / users)
			ask(fds[begun++]);
		int n = epoll_wait(poller, ready, POLLED, 1);
		for (int i = 0; i < n; i++)
			read_once(ready[i].data.fd);
	}
	printf("{\"reads\": %lld, \"events\": %lld, \"stamped\": %lld, \"cpu_ns\": %lld}\n",
		(long long)reads, (long long)events, (long long)stamped, (long long)(processor_time() - used));
}
