// Code that the load programs share: connections over loopback, HTTP/1.1 answers, WebSocket frames, Socket.IO packets, clocks and CPU time.
// A program includes it once, and defines its name first: #define PROGRAM "load".
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STALL_SECONDS = 30 };

typedef struct {
  int fd;
  size_t length, capacity; // of what was read and is not yet taken
  char *in;
} Wire;

static inline void die(const char *what) {
  fprintf(stderr, PROGRAM ": %s: %s\n", what, strerror(errno));
  exit(1);
}

static inline void die_of(int error, const char *what) {
  errno = error;
  die(what);
}

static inline uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

// CPU time of all threads of a process in nanoseconds, from the scheduler's statistics.
static inline uint64_t cpu_ns(int pid) {
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

static inline int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// Sorts the values.
static inline double percentile(double *values, size_t count, double part) {
  if (!count) return 0;
  qsort(values, count, sizeof *values, by_size);
  size_t at = (size_t)(count * part);
  return values[at < count ? at : count - 1];
}

static inline void allow_many_files(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

// Opens a connection, from the source-th loopback address if that is not 0. With SOCK_NONBLOCK in flags it may still be in progress.
static inline void dial(Wire *wire, int port, int source, int flags) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 256 + source)};
  int one = 1;
  wire->length = 0;
  wire->fd = socket(AF_INET, SOCK_STREAM | flags, 0);
  if (wire->fd < 0) die("socket");
  // Without this option the kernel chooses a free port before it knows the other end.
  if (source) setsockopt(wire->fd, IPPROTO_IP, 24 /* IP_BIND_ADDRESS_NO_PORT */, &one, sizeof one);
  if (source && bind(wire->fd, (void *)&from, sizeof from) < 0) die("bind");
  setsockopt(wire->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connect(wire->fd, (void *)&address, sizeof address) < 0 && errno != EINPROGRESS) die("connect");
}

static inline void hold(Wire *wire, size_t capacity) {
  wire->capacity = capacity;
  wire->in = malloc(capacity);
  if (!wire->in) die("memory");
}

static inline void watch(int epoll, int fd, uint32_t events, void *what) {
  struct epoll_event event = {.events = events, .data.ptr = what};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) die("epoll");
}

// Small requests, one at a time, always fit into the socket's buffer.
static inline void send_all(Wire *wire, const char *bytes, size_t length) {
  ssize_t sent = send(wire->fd, bytes, length, MSG_NOSIGNAL);
  if (sent == (ssize_t)length) return;
  // The reader of a closed connection notices the end, and knows whether it is an error.
  if (sent >= 0 || (errno != ECONNRESET && errno != EPIPE)) die("send");
}

// Reads the available bytes. Returns 0 if there are none, -1 if the other end closed.
static inline int fill(Wire *wire) {
  ssize_t count = recv(wire->fd, wire->in + wire->length, wire->capacity - 1 - wire->length, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (count <= 0) return -1;
  wire->length += count;
  wire->in[wire->length] = 0;
  return 1;
}

static inline int fill_or_die(Wire *wire) {
  int filled = fill(wire);
  if (filled < 0) die("the server closed a connection, or an answer is too long");
  return filled;
}

static inline void drop(Wire *wire, size_t count) {
  wire->length -= count;
  memmove(wire->in, wire->in + count, wire->length);
}

// A request with a key, a token and a JSON body, which may be empty. The caller frees it.
static inline char *http_request(const char *method, const char *path, const char *key, const char *token, const char *body) {
  char *request;
  if (asprintf(&request,
               "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nSesacKey: %s\r\nAuthorization: %s\r\n"
               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
               method, path, key, token, strlen(body), body) < 0)
    die("memory");
  return request;
}

// The total length of the answer in the buffer; 0 while it is incomplete.
static inline size_t http_answer(Wire *wire) {
  char *body = memmem(wire->in, wire->length, "\r\n\r\n", 4);
  if (!body) return 0;
  *body = 0;
  char *length = strcasestr(wire->in, "\r\ncontent-length:");
  int chunked = strcasestr(wire->in, "\r\ntransfer-encoding: chunked") != NULL;
  *body = '\r';
  body += 4;
  size_t head = body - wire->in;
  if (length) {
    size_t total = head + strtoul(length + 17, NULL, 10);
    return wire->length >= total ? total : 0;
  }
  if (!chunked) die_of(EPROTO, "an answer without a length");
  char *end = memmem(body, wire->length - head, "\r\n0\r\n\r\n", 7);
  return end ? (size_t)(end + 7 - wire->in) : 0;
}

static inline int http_is_ok(const Wire *wire) { return !strncmp(wire->in, "HTTP/1.1 200", 12); }

static inline void ws_upgrade(Wire *wire, const char *path) {
  char request[1024];
  int size = snprintf(request, sizeof request,
                      "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path);
  if (size >= (int)sizeof request) die_of(EMSGSIZE, "request");
  send_all(wire, request, size);
}

// The length of the answer to an upgrade at the start of the buffer; 0 if it is incomplete or was read already.
static inline size_t ws_upgraded(Wire *wire) {
  if (strncmp(wire->in, "HTTP/1.1", 8)) return 0;
  char *end = strstr(wire->in, "\r\n\r\n");
  if (!end) return 0;
  if (strncmp(wire->in, "HTTP/1.1 101", 12)) die_of(EPROTO, wire->in);
  return end + 4 - wire->in;
}

// Reads the frame at *at and moves *at behind it. Returns its opcode; -1 while it is incomplete.
static inline int ws_frame(Wire *wire, size_t *at, char **text, size_t *length) {
  uint8_t *frame = (uint8_t *)wire->in + *at;
  size_t there = wire->length - *at, head = 2;
  if (there < 2) return -1;
  *length = frame[1] & 127;
  if (*length == 127) die_of(EMSGSIZE, "a frame");
  if (*length == 126) {
    if (there < 4) return -1;
    *length = frame[2] << 8 | frame[3], head = 4;
  }
  if (there < head + *length) return -1;
  *text = (char *)frame + head;
  *at += head + *length;
  return frame[0] & 15;
}

// Sends a text frame. The mask is zero: masks protect proxies, and there is none here.
static inline void ws_text(Wire *wire, const char *text) {
  char frame[2048];
  size_t length = strlen(text), head = length < 126 ? 2 : 4;
  if (length > sizeof frame - 8) die_of(EMSGSIZE, "frame");
  frame[0] = (char)0x81;
  frame[1] = (char)(0x80 | (length < 126 ? length : 126));
  if (length >= 126) frame[2] = (char)(length >> 8), frame[3] = (char)length;
  memset(frame + head, 0, 4);
  memcpy(frame + head + 4, text, length);
  send_all(wire, frame, head + 4 + length);
}

static const char SOCKETIO_PATH[] = "/socket.io/?EIO=4&transport=websocket";

static inline void socketio_join(Wire *wire, const char *room, const char *token) {
  char packet[1024];
  if (snprintf(packet, sizeof packet, "40%s,{\"token\":\"%s\"}", room, token) >= (int)sizeof packet) die_of(EMSGSIZE, "token");
  ws_text(wire, packet);
}

// The kind of a packet: 'o' the session was opened, 'j' a room was joined, 'e' an event, 'p' a ping, which was answered.
static inline int socketio_packet(Wire *wire, const char *text, size_t length) {
  if (length && text[0] == '0') return 'o';
  if (length && text[0] == '2') return ws_text(wire, "3"), 'p';
  if (length > 1 && text[0] == '4' && text[1] == '0') return 'j';
  if (length > 1 && text[0] == '4' && text[1] == '2') return 'e';
  fprintf(stderr, PROGRAM ": %.*s\n", (int)length, text);
  die_of(EPROTO, "a packet");
  return 0;
}
