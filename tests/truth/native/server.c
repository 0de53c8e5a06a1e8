// The truth server: it answers OpenAI chat streams on a schedule and logs when it received
// each request and when it wrote each event. It shares no line with assay, and above all
// not with package sim, so that what both get wrong in the same way shows.
//
//   cc -O2 -static -o server server.c -lm
//   server --log FILE [--core N] [--ttft NS] [--gap NS] [--jitter SIGMA] [--seed N] [--address IP]
//
// It prints its address and serves until its standard input ends. One thread does
// everything. With --core it stays on that core and never sleeps; without, it sleeps until
// something is due. Times are CLOCK_MONOTONIC in nanoseconds: of the receipt after the read
// that completed the request, of an event just before the write that sends it. A request
// is answered with max_tokens events (100 where it does not say), the first after TTFT and
// the others GAP apart; with --jitter both are lognormal with that sigma and the given mean.
//
// Every answer has a number, which is its id and the text of its first event. The log holds
// a row for each, in this machine's byte order: struct row, then struct event for each event.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_CONNECTIONS = 1 << 16, // one for each descriptor
	MOST_REQUEST = 1 << 20,     // bytes of head and body
	FIRST_REQUEST = 4 << 10,    // bytes that a connection begins with
	MOST_TOKENS = 1 << 16,
	LONGEST_EVENT = 1 << 10, // bytes, with the head of the answer; half of it is needed
	POLLED = 64,             // descriptors looked at between two writes
};

struct row {
	uint64_t id;
	int64_t received;
	uint32_t connection; // its number, which no later one has
	uint32_t events;     // how many follow: fewer than asked for where the client went away
};

struct event {
	int64_t due, written;
};

struct connection {
	int fd;
	uint32_t number;

	char *request; // what was read of the request under way, ended by a zero
	size_t filled, room;

	int place; // in the queue; -1 while nothing is due
	int64_t due;
	uint32_t tokens;
	uint64_t chance; // state of the random numbers of this answer
	struct row row;
	struct event *events;
	char middle[LONGEST_EVENT]; // every event but the first and the last
	int middle_length;
};

static struct {
	int64_t ttft, gap;
	double jitter;
	uint64_t seed;
	int core, log, port;
	char *address;
} set = {.ttft = 50000000, .gap = 10000000, .seed = 1, .core = -1, .log = -1, .address = "127.0.0.1"};

static struct connection *connections[MOST_CONNECTIONS]; // by descriptor
static struct connection *queue[MOST_CONNECTIONS];       // a heap: the first is due first
static int queued, poller;
static uint64_t answers;
static uint32_t accepted;

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

// The queue of what is due.

static void put(struct connection *c, int place) { queue[c->place = place] = c; }

static void rise(struct connection *c, int place)
{
	for (; place > 0 && queue[(place - 1) / 2]->due > c->due; place = (place - 1) / 2)
		put(queue[(place - 1) / 2], place);
	put(c, place);
}

static void sink(struct connection *c, int place)
{
	for (;;) {
		int child = 2 * place + 1;
		if (child + 1 < queued && queue[child + 1]->due < queue[child]->due)
			child++;
		if (child >= queued || queue[child]->due >= c->due)
			break;
		put(queue[child], place);
		place = child;
	}
	put(c, place);
}

static void leave_queue(struct connection *c)
{
	int place = c->place;
	struct connection *last = queue[--queued];
	c->place = -1;
	if (last == c)
		return;
	sink(last, place);
	rise(last, last->place);
}

// The schedule of an answer.

static uint64_t splitmix(uint64_t *state) // Steele, Lea and Flood, 2014
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double uniform(uint64_t *state) { return ((splitmix(state) >> 11) + 0.5) / 9007199254740992.0; }

static int64_t drawn(struct connection *c, int64_t mean)
{
	if (set.jitter == 0)
		return mean;
	double normal = sqrt(-2 * log(uniform(&c->chance))) * cos(2 * M_PI * uniform(&c->chance));
	return mean * exp(set.jitter * normal - set.jitter * set.jitter / 2);
}

// What is sent.

// event_text writes event i of an answer as a chunk of HTTP/1.1: the first after the head
// of the answer, the last with all that ends it, so that one write is one token.
static int event_text(struct connection *c, uint32_t i, char *to)
{
	unsigned long long id = c->row.id;
	int last = i + 1 == c->tokens;
	char text[32] = "word ", body[LONGEST_EVENT], end[LONGEST_EVENT] = "";
	if (i == 0)
		snprintf(text, sizeof text, "%llu ", id);
	if (last)
		snprintf(end, sizeof end,
			"data: {\"id\":\"%llu\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"truth\",\"choices\":[],"
			"\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":%u,\"total_tokens\":%u}}\n\ndata: [DONE]\n\n",
			id, c->tokens, c->tokens + 1);
	int n = snprintf(body, sizeof body,
		"data: {\"id\":\"%llu\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"truth\","
		"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":%s}]}\n\n%s",
		id, text, last ? "\"length\"" : "null", end);
	return snprintf(to, LONGEST_EVENT, "%s%x\r\n%s\r\n%s",
		i ? "" : "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
		n, body, last ? "0\r\n\r\n" : "");
}

static void end_answer(struct connection *c)
{
	leave_queue(c);
	struct iovec parts[] = {{&c->row, sizeof c->row}, {c->events, c->row.events * sizeof *c->events}};
	if (writev(set.log, parts, 2) != (ssize_t)(parts[0].iov_len + parts[1].iov_len))
		die("write the log");
}

static void hang_up(struct connection *c)
{
	if (c->place >= 0)
		end_answer(c);
	connections[c->fd] = NULL;
	close(c->fd);
	free(c->request);
	free(c->events);
	free(c);
}

// send_due sends the next event of an answer.
static void send_due(struct connection *c)
{
	char text[LONGEST_EVENT], *from = c->middle;
	uint32_t length = c->middle_length, i = c->row.events;
	if (i == 0 || i + 1 == c->tokens)
		length = event_text(c, i, from = text);
	int64_t written = now();
	if (send(c->fd, from, length, MSG_NOSIGNAL) != (ssize_t)length) { // the client went away, or reads nothing
		hang_up(c);
		return;
	}
	c->events[i] = (struct event){c->due, written};
	c->row.events++;
	if (c->row.events == c->tokens) {
		end_answer(c);
		return;
	}
	c->due += drawn(c, set.gap);
	sink(c, c->place);
}

// What is asked.

// asked_tokens reads max_tokens or max_completion_tokens.
static uint32_t asked_tokens(const char *body)
{
	const char *found = strstr(body, "_tokens\":");
	long n = found ? strtol(found + strlen("_tokens\":"), NULL, 10) : 0;
	return n > 0 && n <= MOST_TOKENS ? n : 100;
}

static void begin_answer(struct connection *c, const char *body, int64_t received)
{
	c->tokens = asked_tokens(body);
	c->events = realloc(c->events, c->tokens * sizeof *c->events);
	if (!c->events)
		die("memory");
	c->row = (struct row){.id = ++answers, .received = received, .connection = c->number};
	c->chance = set.seed ^ answers << 20;
	c->middle_length = c->tokens > 2 ? event_text(c, 1, c->middle) : 0;
	c->due = received + drawn(c, set.ttft);
	rise(c, queued++);
}

// answer_page answers what clients ask before and beside their chats.
static void answer_page(struct connection *c)
{
	const char *status = "200 OK", *body = "{\"error\":{\"message\":\"the truth server has only chats\"}}";
	char text[LONGEST_EVENT];
	if (!strncmp(c->request, "GET /v1/models ", 15))
		body = "{\"object\":\"list\",\"data\":[{\"id\":\"truth\",\"object\":\"model\",\"owned_by\":\"truth\"}]}";
	else if (!strncmp(c->request, "GET /version ", 13))
		body = "{\"version\":\"1\"}";
	else
		status = "404 Not Found";
	int n = snprintf(text, sizeof text, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(body), body);
	if (send(c->fd, text, n, MSG_NOSIGNAL) != n)
		hang_up(c);
}

// take answers the request as soon as it is there whole.
static void take(struct connection *c, int64_t at)
{
	char *end = strstr(c->request, "\r\n\r\n");
	if (!end)
		return;
	*end = 0; // the head is searched by itself
	char *length = strcasestr(c->request, "\r\ncontent-length:");
	*end = '\r';
	size_t body = end + 4 - c->request, whole = body + (length ? strtoul(length + 17, NULL, 10) : 0);
	if (c->filled < whole)
		return;
	if (c->filled > whole || c->place >= 0) { // nobody may ask before the answer has ended
		hang_up(c);
		return;
	}
	c->filled = 0;
	if (!strncmp(c->request, "POST /v1/chat/completions ", 26))
		begin_answer(c, c->request + body, at);
	else
		answer_page(c);
}

static void read_some(struct connection *c)
{
	if (c->filled + 1 >= c->room) {
		c->room = c->room ? 2 * c->room : FIRST_REQUEST;
		c->request = realloc(c->request, c->room);
		if (!c->request || c->room > MOST_REQUEST)
			die("a request too large");
	}
	ssize_t n = recv(c->fd, c->request + c->filled, c->room - c->filled - 1, 0);
	int64_t at = now();
	if (n <= 0) { // the poller said that there is something, so it has ended
		hang_up(c);
		return;
	}
	c->filled += n;
	c->request[c->filled] = 0;
	take(c, at);
}

static void watch(int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &e) && errno != EPERM) // a file as standard input never ends
		die("epoll_ctl");
}

static void accept_all(int listener)
{
	for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
		int one = 1;
		struct connection *c = fd < MOST_CONNECTIONS ? calloc(1, sizeof *c) : NULL;
		if (!c)
			die("too many connections");
		*c = (struct connection){.fd = fd, .number = ++accepted, .place = -1};
		connections[fd] = c;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		watch(fd);
	}
}

static int listen_anywhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(set.address), .sin_port = htons(set.port)};
	socklen_t length = sizeof address;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof one); // several share a port, and the kernel its connections among them
	if (bind(fd, (void *)&address, length) || listen(fd, 1 << 14) || getsockname(fd, (void *)&address, &length))
		die("listen");
	printf("http://%s:%d\n", set.address, ntohs(address.sin_port));
	fflush(stdout);
	return fd;
}

// serve writes at most one event between two looks at the descriptors, so that no request
// waits longer for its receipt than a write takes.
static void serve(int listener)
{
	struct epoll_event ready[POLLED];
	watch(listener);
	for (;;) {
		int64_t left = queued ? queue[0]->due - now() : INT64_C(1000000000);
		if (left < 0 || set.core >= 0)
			left = 0;
		struct timespec pause = {left / 1000000000, left % 1000000000};
		int n = epoll_pwait2(poller, ready, POLLED, &pause, NULL);
		if (n < 0 && errno != EINTR)
			die("epoll_pwait2");
		for (int i = 0; i < n; i++) {
			int fd = ready[i].data.fd;
			if (fd == STDIN_FILENO)
				exit(0); // whoever started it holds the other end, and writes nothing
			if (fd == listener)
				accept_all(listener);
			else if (connections[fd])
				read_some(connections[fd]);
		}
		if (queued && queue[0]->due <= now())
			send_due(queue[0]);
	}
}

static void read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{"log", 1, 0, 'l'}, {"core", 1, 0, 'c'}, {"ttft", 1, 0, 't'}, {"gap", 1, 0, 'g'}, {"jitter", 1, 0, 'j'}, {"seed", 1, 0, 's'}, {"address", 1, 0, 'a'}, {"port", 1, 0, 'p'}, {0}};
	for (int o; (o = getopt_long(argc, argv, "", known, NULL)) != -1;)
		switch (o) {
		case 'l': set.log = open(optarg, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644); break;
		case 'c': set.core = atoi(optarg); break;
		case 't': set.ttft = atoll(optarg); break;
		case 'g': set.gap = atoll(optarg); break;
		case 'j': set.jitter = atof(optarg); break;
		case 's': set.seed = strtoull(optarg, NULL, 10); break;
		case 'a': set.address = optarg; break;
		case 'p': set.port = atoi(optarg); break;
		default: exit(2);
		}
	if (set.log < 0)
		die("--log");
}

static void settle(void)
{
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max < MOST_CONNECTIONS ? files.rlim_max : MOST_CONNECTIONS;
	setrlimit(RLIMIT_NOFILE, &files);
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(set.core, &one);
	if (set.core >= 0 && sched_setaffinity(0, sizeof one, &one))
		die("--core");
}

int main(int argc, char **argv)
{
	read_options(argc, argv);
	settle();
	poller = epoll_create1(EPOLL_CLOEXEC);
	watch(STDIN_FILENO);
	serve(listen_anywhere());
}
