// Load over HTTP/1.1: keep-alive connections, one request in flight on each, one epoll thread. The next request of a
// connection follows the answer or, with -R, begins at its time, from which it is measured: so many a second by all.
//
// Requests come from a file, one per line: METHOD<tab>PATH<tab>TOKEN<tab>JSON BODY (the body may be empty).
// Connection i sends lines i, i + connections, ... again and again. Any answer that is not 200 counts as failed.
// Prints one JSON object. Always ends by itself: after SECONDS, after -n calls, at SIGTERM, or when nothing is
// answered for 30 s.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 1024, MAX_SAMPLES = 4 << 20, BUFFER = 1 << 20, STALL_SECONDS = 30 };

typedef struct {
  int fd;
  size_t next;   // the line it sends next
  int started;   // whether its present call began inside the measured time
  uint64_t sent; // when, or when it was to be
  int idle;      // whether it waits for the time of its next call
  char *in;
  size_t length;
} Connection;

static char **requests;
static size_t request_count, connections = 64;
static Connection clients[MAX_CONNECTIONS];
static uint32_t *samples; // microseconds
static size_t sample_count;
static long failed, started_calls, max_calls;
static int measuring;
static volatile sig_atomic_t stopped;
static uint64_t interval; // between the calls of a connection, microseconds; 0 for none

static void stop(int number) {
  (void)number;
  stopped = 1;
}

static void die(const char *what) {
  fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

// CPU time of all threads of a process in nanoseconds, from the scheduler's statistics.
static uint64_t cpu_ns(int pid) {
  char path[300];
  uint64_t total = 0;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  if (!tasks) die(path);
  for (struct dirent *task; (task = readdir(tasks));) {
    unsigned long long ran;
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", pid, task->d_name);
    FILE *file = fopen(path, "r");
    if (!file) continue;
    if (fscanf(file, "%llu", &ran) == 1) total += ran;
    fclose(file);
  }
  closedir(tasks);
  return total;
}

static void read_requests(const char *path, const char *key) {
  FILE *file = fopen(path, "r");
  if (!file) die(path);
  char *line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, file) > 0) {
    char *rest = line, *field[4];
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < 4; i++) {
      field[i] = strsep(&rest, "\t");
      if (!field[i]) field[i] = "";
    }
    requests = realloc(requests, (request_count + 1) * sizeof *requests);
    if (asprintf(&requests[request_count++],
                 "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nSesacKey: %s\r\nAuthorization: %s\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                 field[0], field[1], key, field[2], strlen(field[3]), field[3]) < 0)
      die("memory");
  }
  free(line);
  fclose(file);
  if (!request_count) errno = EINVAL, die(path);
}

static void send_next(Connection *client) {
  if (max_calls && measuring && started_calls >= max_calls) return;
  const char *request = requests[client->next];
  size_t length = strlen(request);
  client->next = (client->next + connections) % request_count;
  client->started = measuring;
  started_calls += measuring;
  client->idle = 0;
  client->sent = interval ? client->sent + interval : now_us();
  // One small request at a time always fits the socket's buffer.
  if (send(client->fd, request, length, MSG_NOSIGNAL) != (ssize_t)length) die("send");
}

static void send_at_its_time(Connection *client) {
  client->idle = interval && now_us() < client->sent + interval;
  if (!client->idle) send_next(client);
}

// The whole length of the answer in the buffer, or 0 while it is incomplete.
static size_t answer_length(Connection *client) {
  char *body = memmem(client->in, client->length, "\r\n\r\n", 4);
  if (!body) return 0;
  *body = 0;
  char *length = strcasestr(client->in, "\r\ncontent-length:");
  int chunked = strcasestr(client->in, "\r\ntransfer-encoding: chunked") != NULL;
  *body = '\r';
  body += 4;
  size_t head = body - client->in;
  if (length) {
    size_t total = head + strtoul(length + 17, NULL, 10);
    return client->length >= total ? total : 0;
  }
  if (!chunked) errno = EPROTO, die("an answer without a length");
  char *end = memmem(body, client->length - head, "\r\n0\r\n\r\n", 7);
  return end ? (size_t)(end + 7 - client->in) : 0;
}

// Takes an answer out of the buffer. True when the call is over.
static int receive(Connection *client) {
  ssize_t count = recv(client->fd, client->in + client->length, BUFFER - 1 - client->length, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (count <= 0) die("the server closed a connection, or an answer is too long");
  client->length += count;
  client->in[client->length] = 0;
  size_t length = answer_length(client);
  if (!length) return 0;
  uint64_t took = now_us() - client->sent;
  if (strncmp(client->in, "HTTP/1.1 200", 12) && failed++ < 3)
    fprintf(stderr, "load: answered %.*s\n", (int)(length < 400 ? length : 400), client->in);
  if (client->started && sample_count < MAX_SAMPLES) samples[sample_count++] = took > UINT32_MAX ? UINT32_MAX : took;
  client->length = 0;
  return 1;
}

static void dial(Connection *client, int port, int epoll) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int one = 1;
  client->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (client->fd < 0 || connect(client->fd, (void *)&address, sizeof address) < 0) die("connect");
  setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  client->in = malloc(BUFFER);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  if (!client->in || epoll_ctl(epoll, EPOLL_CTL_ADD, client->fd, &event) < 0) die("epoll");
}

static int by_size(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  int option, port = 0, pid = 0;
  double seconds = 5, warm = 1, rate = 0;
  const char *file = NULL, *key = "dev-key-2024-10";
  while ((option = getopt(argc, argv, "p:r:c:s:w:n:P:k:R:")) != -1) switch (option) {
    case 'p': port = atoi(optarg); break;
    case 'r': file = optarg; break;
    case 'c': connections = strtoul(optarg, NULL, 10); break;
    case 's': seconds = atof(optarg); break;
    case 'w': warm = atof(optarg); break;
    case 'n': max_calls = atol(optarg); break;
    case 'P': pid = atoi(optarg); break;
    case 'k': key = optarg; break;
    case 'R': rate = atof(optarg); break;
    default: return 64;
    }
  if (!port || !file || !pid || !connections || connections > MAX_CONNECTIONS) {
    fprintf(stderr, "usage: load -p PORT -P SERVER_PID -r FILE [-c CONNECTIONS] [-w WARM_UP_S] [-s SECONDS] [-n CALLS] [-k KEY] [-R CALLS_PER_S]\n");
    return 64;
  }
  read_requests(file, key);
  samples = malloc(MAX_SAMPLES * sizeof *samples);
  int epoll = epoll_create1(0);
  if (!samples || epoll < 0) die("memory");
  for (size_t i = 0; i < connections; i++) {
    clients[i].next = i % request_count;
    dial(&clients[i], port, epoll);
  }
  signal(SIGTERM, stop);
  uint64_t begin = now_us();
  if (rate > 0) interval = connections / rate * 1e6;
  for (size_t i = 0; i < connections; i++) {
    // Evenly spread.
    clients[i].sent = begin + i * interval / connections - interval;
    send_at_its_time(&clients[i]);
  }

  uint64_t warm_end = begin + warm * 1e6, end = warm_end + seconds * 1e6, heard = begin, cpu = 0, now;
  size_t over = 0;
  while (!stopped && (now = now_us()) < end && !(max_calls && over >= (size_t)max_calls)) {
    if (!measuring && now >= warm_end) {
      measuring = 1;
      cpu = cpu_ns(pid);
      warm_end = now;
    }
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, 64, interval ? 1 : 100);
    if (count > 0) heard = now_us();
    if (now_us() - heard > STALL_SECONDS * 1000000ull) errno = ETIMEDOUT, die("no answer");
    for (int i = 0; i < count; i++) {
      Connection *client = events[i].data.ptr;
      if (!receive(client)) continue;
      over += client->started;
      send_at_its_time(client);
    }
    for (size_t i = 0; interval && i < connections; i++)
      if (clients[i].idle) send_at_its_time(&clients[i]);
  }
  double took = (now_us() - warm_end) / 1e6, cpu_ms = (cpu_ns(pid) - cpu) / 1e6;
  if (!sample_count) errno = ETIMEDOUT, die("no call was answered in time");
  qsort(samples, sample_count, sizeof *samples, by_size);
  printf("{\"calls\":%zu,\"failed\":%ld,\"per_second\":%.1f,\"cpu_ms_per_1000\":%.1f,\"p50_us\":%u,\"p99_us\":%u,\"max_us\":%u}\n",
         sample_count, failed, sample_count / took, cpu_ms * 1000 / sample_count, samples[sample_count / 2],
         samples[sample_count * 99 / 100], samples[sample_count - 1]);
  return failed ? 1 : 0;
}
