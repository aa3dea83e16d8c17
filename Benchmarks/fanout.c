// How long a chat takes from one server to the last of many sockets at another one.
//
// Opens SOCKETS WebSockets in one room at the listening server, then posts chats to the posting server, RATE a second, each
// when it is due. The time runs from the answer to a post (its transaction is committed then) until the last socket has the
// chat; it is zero if that was before the answer. One epoll thread, so what is measured includes reading all sockets.
// Prints one JSON object. Fails if a chat does not reach every socket exactly once. Always ends by itself.
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
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SOCKETS = 10000, MAX_POSTS = 100000, POSTERS = 64, BUFFER = 64 << 10, STALL_SECONDS = 30 };
static const char MARK[] = "bench-";

typedef struct {
  int fd;
  int post; // the index of the post that a poster waits for, -1 if none
  int joined;
  size_t length;
  char *in;
} Client;

static Client sockets[MAX_SOCKETS], posters[POSTERS];
static uint64_t answered[MAX_POSTS], sent[MAX_POSTS], last_heard[MAX_POSTS];
static int heard[MAX_POSTS];
static long joined, deliveries, answers;
static const char *key = "dev-key-2024-10", *token, *path, *room;

static void die(const char *what) {
  fprintf(stderr, "fanout: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void send_all(Client *client, const char *bytes, size_t length) {
  // A small request at a time always fits the socket's buffer.
  if (send(client->fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) die("send");
}

static void dial(Client *client, int port, int epoll) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int one = 1;
  client->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (client->fd < 0 || connect(client->fd, (void *)&address, sizeof address) < 0) die("connect");
  setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  client->in = malloc(BUFFER);
  client->post = -1;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  if (!client->in || epoll_ctl(epoll, EPOLL_CTL_ADD, client->fd, &event) < 0) die("epoll");
}

// Sends a text frame. The mask is zero: it protects proxies, and there is none.
static void send_text(Client *client, const char *text) {
  char frame[2048];
  size_t length = strlen(text), head = length < 126 ? 2 : 4;
  if (length > sizeof frame - 8) errno = EMSGSIZE, die("frame");
  frame[0] = (char)0x81;
  frame[1] = (char)(0x80 | (length < 126 ? length : 126));
  if (length >= 126) frame[2] = (char)(length >> 8), frame[3] = (char)length;
  memset(frame + head, 0, 4);
  memcpy(frame + head + 4, text, length);
  send_all(client, frame, head + 4 + length);
}

static void take_packet(Client *client, char *text, size_t length, uint64_t now) {
  if (length && text[0] == '0') {
    char *connect;
    if (asprintf(&connect, "40%s,{\"token\":\"%s\"}", room, token) < 0) die("memory");
    send_text(client, connect);
    free(connect);
  } else if (length && text[0] == '2') {
    send_text(client, "3");
  } else if (length > 1 && text[0] == '4' && text[1] == '0') {
    client->joined = 1;
    joined++;
  } else if (length > 1 && text[0] == '4' && text[1] == '2') {
    char *mark = memmem(text, length, MARK, sizeof MARK - 1);
    int index = mark ? atoi(mark + sizeof MARK - 1) : -1;
    if (index < 0 || index >= MAX_POSTS) errno = EPROTO, die("an event that is no chat of ours");
    heard[index]++;
    last_heard[index] = now;
    deliveries++;
  } else {
    fprintf(stderr, "fanout: %.*s\n", (int)length, text);
    errno = EPROTO, die("a packet");
  }
}

static int fill(Client *client) {
  ssize_t count = recv(client->fd, client->in + client->length, BUFFER - 1 - client->length, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (count <= 0) die("the server closed a connection");
  client->length += count;
  client->in[client->length] = 0;
  return 1;
}

static void drop(Client *client, size_t count) {
  client->length -= count;
  memmove(client->in, client->in + count, client->length);
}

static void read_socket(Client *client) {
  if (!fill(client)) return;
  uint64_t now = now_us();
  size_t at = 0;
  if (!strncmp(client->in, "HTTP/1.1", 8)) {
    char *end = strstr(client->in, "\r\n\r\n");
    if (!end) return;
    if (strncmp(client->in, "HTTP/1.1 101", 12)) errno = EPROTO, die(client->in);
    at = end + 4 - client->in;
  }
  while (client->length - at >= 2) {
    uint8_t *frame = (uint8_t *)client->in + at;
    size_t length = frame[1] & 127, head = 2;
    if (length == 127) errno = EMSGSIZE, die("a frame");
    if (length == 126) {
      if (client->length - at < 4) break;
      length = frame[2] << 8 | frame[3], head = 4;
    }
    if (client->length - at < head + length) break;
    if ((frame[0] & 15) == 1) take_packet(client, (char *)frame + head, length, now);
    at += head + length;
  }
  drop(client, at);
}

static void read_answer(Client *poster) {
  if (!fill(poster)) return;
  char *body = strstr(poster->in, "\r\n\r\n"), *length = strcasestr(poster->in, "\r\ncontent-length:");
  if (!body || !length || length > body) return;
  if (poster->length < (size_t)(body + 4 - poster->in) + strtoul(length + 17, NULL, 10)) return;
  if (strncmp(poster->in, "HTTP/1.1 200", 12)) errno = EPROTO, die(poster->in);
  answered[poster->post] = now_us();
  answers++;
  poster->post = -1;
  poster->length = 0;
}

static void send_post(Client *poster, int index) {
  char body[128], request[2048];
  int length = snprintf(body, sizeof body, "{\"content\":\"%s%d: see you at the courtyard at six.\"}", MARK, index);
  int size = snprintf(request, sizeof request,
                      "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nSesacKey: %s\r\nAuthorization: %s\r\n"
                      "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, key, token, length, body);
  if (size >= (int)sizeof request) errno = EMSGSIZE, die("request");
  poster->post = index;
  sent[index] = now_us();
  send_all(poster, request, size);
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double percentile(double *values, int count, double part) {
  qsort(values, count, sizeof *values, by_size);
  int at = (int)(count * part);
  return values[at < count ? at : count - 1];
}

int main(int argc, char **argv) {
  int option, post_port = 0, listen_port = 0, count = 1000, rate = 100;
  double seconds = 10;
  while ((option = getopt(argc, argv, "a:b:c:R:s:k:t:u:n:")) != -1) switch (option) {
    case 'a': post_port = atoi(optarg); break;
    case 'b': listen_port = atoi(optarg); break;
    case 'c': count = atoi(optarg); break;
    case 'R': rate = atoi(optarg); break;
    case 's': seconds = atof(optarg); break;
    case 'k': key = optarg; break;
    case 't': token = optarg; break;
    case 'u': path = optarg; break;
    case 'n': room = optarg; break;
    default: return 64;
    }
  int posts = (int)(seconds * rate);
  if (!post_port || !listen_port || !token || !path || !room || count < 1 || count > MAX_SOCKETS || posts < 1 || posts > MAX_POSTS) {
    fprintf(stderr, "usage: fanout -a POST_PORT -b LISTEN_PORT -t TOKEN -u PATH -n NAMESPACE [-c SOCKETS] [-R POSTS_A_SECOND] "
                    "[-s SECONDS] [-k KEY]\n");
    return 64;
  }
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  int epoll = epoll_create1(0);
  if (epoll < 0) die("epoll");
  for (int i = 0; i < POSTERS; i++) dial(&posters[i], post_port, epoll);

  uint64_t begin = 0, heard_at = now_us();
  int opened = 0, next = 0;
  while (deliveries < (long)posts * count || answers < posts) {
    uint64_t now = now_us();
    if (now - heard_at > STALL_SECONDS * 1000000ull) errno = ETIMEDOUT, die("nothing came in for a while");
    // A few at a time, so that opening them is no flood.
    while (opened < count && opened - joined < 32) {
      Client *client = &sockets[opened++];
      dial(client, listen_port, epoll);
      const char *upgrade = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
      send_all(client, upgrade, strlen(upgrade));
    }
    if (joined == count && !begin) begin = now + 500000;
    while (begin && next < posts && now >= begin + (uint64_t)next * 1000000 / rate) {
      Client *free = NULL;
      for (int i = 0; i < POSTERS && !free; i++)
        if (posters[i].post < 0) free = &posters[i];
      if (!free) break;
      send_post(free, next++);
    }
    struct epoll_event events[256];
    int ready = epoll_wait(epoll, events, 256, 1);
    if (ready > 0) heard_at = now_us();
    for (int i = 0; i < ready; i++) {
      Client *client = events[i].data.ptr;
      if (client >= posters && client < posters + POSTERS) read_answer(client);
      else read_socket(client);
    }
  }
  double *from_answer = malloc(posts * sizeof *from_answer), *from_post = malloc(posts * sizeof *from_post);
  if (!from_answer || !from_post) die("memory");
  for (int i = 0; i < posts; i++) {
    if (heard[i] != count) errno = EPROTO, die("a chat did not reach every socket once");
    from_answer[i] = last_heard[i] > answered[i] ? (last_heard[i] - answered[i]) / 1e3 : 0;
    from_post[i] = (last_heard[i] - sent[i]) / 1e3;
  }
  printf("{\"posts\":%d,\"sockets\":%d,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"max_ms\":%.2f,\"post_p50_ms\":%.2f,\"post_p99_ms\":%.2f}\n", posts,
         count, percentile(from_answer, posts, 0.5), percentile(from_answer, posts, 0.99), percentile(from_answer, posts, 1),
         percentile(from_post, posts, 0.5), percentile(from_post, posts, 0.99));
  return 0;
}
