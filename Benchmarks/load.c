// HTTP/1.1 load: keep-alive connections with one request in flight each, in one epoll thread. The next request of a connection
// follows the answer. With -R requests start on a schedule of this many a second in total, and are measured from their scheduled time.
// With -A the connections use this many loopback addresses.
//
// Requests are read from a file, one per line: METHOD<tab>PATH<tab>TOKEN<tab>JSON BODY (the body may be empty).
// Connection i repeatedly sends lines i, i + connections, and so on. Any answer other than 200 counts as failed.
// Prints one JSON object. Always ends by itself: after SECONDS, after -n calls, at SIGTERM, or after 30 s without an
// answer.
#define _GNU_SOURCE
#define PROGRAM "load"
#include "wire.h"
#include <signal.h>

enum { MAX_CONNECTIONS = 1024, MAX_SAMPLES = 4 << 20, BUFFER = 1 << 20 };

typedef struct {
  Wire wire;
  size_t next;   // the line it sends next
  int started;   // whether its present call began inside the measured time
  uint64_t sent; // when, or when it was to be
  int idle;      // whether it waits for the time of its next call
} Connection;

static char **requests;
static size_t request_count, connections = 64;
static Connection clients[MAX_CONNECTIONS];
static double *samples; // microseconds
static size_t sample_count;
static long failed, started_calls, max_calls;
static int measuring;
static volatile sig_atomic_t stopped;
static uint64_t interval; // between the calls of a connection, microseconds; 0 for none

static void stop(int number) {
  (void)number;
  stopped = 1;
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
    requests[request_count++] = http_request(field[0], field[1], key, field[2], field[3]);
  }
  free(line);
  fclose(file);
  if (!request_count) die_of(EINVAL, path);
}

static void send_next(Connection *client) {
  if (max_calls && measuring && started_calls >= max_calls) return;
  const char *request = requests[client->next];
  client->next = (client->next + connections) % request_count;
  client->started = measuring;
  started_calls += measuring;
  client->idle = 0;
  client->sent = interval ? client->sent + interval : now_us();
  send_all(&client->wire, request, strlen(request));
}

static void send_at_its_time(Connection *client) {
  client->idle = interval && now_us() < client->sent + interval;
  if (!client->idle) send_next(client);
}

// Reads an answer from the buffer. True when the call is complete.
static int receive(Connection *client) {
  if (!fill_or_die(&client->wire)) return 0;
  size_t length = http_answer(&client->wire);
  if (!length) return 0;
  uint64_t took = now_us() - client->sent;
  if (!http_is_ok(&client->wire) && failed++ < 3)
    fprintf(stderr, "load: answered %.*s\n", (int)(length < 400 ? length : 400), client->wire.in);
  if (client->started && sample_count < MAX_SAMPLES) samples[sample_count++] = took;
  client->wire.length = 0;
  return 1;
}

int main(int argc, char **argv) {
  int option, port = 0, pid = 0, sources = 0;
  double seconds = 5, warm = 1, rate = 0;
  const char *file = NULL, *key = "dev-key-2024-10";
  while ((option = getopt(argc, argv, "p:r:c:s:w:n:P:k:R:A:")) != -1) switch (option) {
    case 'p': port = atoi(optarg); break;
    case 'r': file = optarg; break;
    case 'c': connections = strtoul(optarg, NULL, 10); break;
    case 's': seconds = atof(optarg); break;
    case 'w': warm = atof(optarg); break;
    case 'n': max_calls = atol(optarg); break;
    case 'P': pid = atoi(optarg); break;
    case 'k': key = optarg; break;
    case 'R': rate = atof(optarg); break;
    case 'A': sources = atoi(optarg); break;
    default: return 64;
    }
  if (!port || !file || !pid || !connections || connections > MAX_CONNECTIONS) {
    fprintf(stderr, "usage: load -p PORT -P SERVER_PID -r FILE [-c CONNECTIONS] [-w WARM_UP_S] [-s SECONDS] [-n CALLS] [-k KEY]"
                    " [-R CALLS_PER_S] [-A ADDRESSES]\n");
    return 64;
  }
  read_requests(file, key);
  samples = malloc(MAX_SAMPLES * sizeof *samples);
  int epoll = epoll_create1(0);
  if (!samples || epoll < 0) die("memory");
  for (size_t i = 0; i < connections; i++) {
    clients[i].next = i % request_count;
    hold(&clients[i].wire, BUFFER);
    dial(&clients[i].wire, port, sources ? 1 + i % sources : 0, 0);
    watch(epoll, clients[i].wire.fd, EPOLLIN, &clients[i]);
  }
  signal(SIGTERM, stop);
  uint64_t begin = now_us(), cpu = cpu_ns(pid);
  // Without a warm-up the first calls count as well.
  measuring = warm <= 0;
  if (rate > 0) interval = connections / rate * 1e6;
  for (size_t i = 0; i < connections; i++) {
    // Spread evenly over time.
    clients[i].sent = begin + i * interval / connections - interval;
    send_at_its_time(&clients[i]);
  }

  uint64_t warm_end = begin + warm * 1e6, end = warm_end + seconds * 1e6, heard = begin, now;
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
    if (now_us() - heard > STALL_SECONDS * 1000000ull) die_of(ETIMEDOUT, "no answer");
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
  if (!sample_count) die_of(ETIMEDOUT, "no call was answered in time");
  double p50 = percentile(samples, sample_count, 0.5), p99 = percentile(samples, sample_count, 0.99);
  printf("{\"calls\":%zu,\"failed\":%ld,\"per_second\":%.1f,\"cpu_ms_per_1000\":%.1f,\"p50_us\":%.0f,\"p99_us\":%.0f,"
         "\"max_us\":%.0f,\"seconds\":%.3f}\n",
         sample_count, failed, sample_count / took, cpu_ms * 1000 / sample_count, p50, p99, samples[sample_count - 1], took);
  return failed ? 1 : 0;
}
