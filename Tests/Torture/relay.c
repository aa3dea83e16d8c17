// Carries TCP connections between programs of this machine, and lets them be cut off from each other.
//
//   relay PORT...     for each PORT of this machine a link that leads there
//
// Prints the ports its links listen on in one line. Then takes lines `LINK MODE`, LINK counting from 0, and answers each with
// "ok":
//   pass   carries everything
//   hold   carries nothing, and answers nothing, but loses nothing either
//   deaf   carries what comes from the client, and loses what comes back
//   cut    resets all connections, and new ones as well
// Connections that lost something are reset when their link's mode changes. Ends with its input.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 65536, LINKS = 64, CONNECTIONS = 4096 };
enum mode { PASS, HOLD, DEAF, CUT };

// What one end said and the other has not taken yet.
struct half {
  char bytes[BUFFER];
  size_t start, count;
  int is_ended, is_told;
};

// Two ends: 0 is the client's, 1 leads to the target. halves[n] is what end n said.
struct connection {
  int link, fds[2], is_lossy;
  struct half halves[2];
};

static struct {
  int listener, port;
  enum mode mode;
} links[LINKS];
static int link_count;
static struct connection *connections[CONNECTIONS];
static int connection_count;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static struct sockaddr_in local(int port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static void prepare(int fd) {
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void reset(int fd) {
  struct linger now = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(fd);
}

static void end(int index, int politely) {
  struct connection *one = connections[index];
  for (int side = 0; side < 2; side++) politely ? (void)close(one->fds[side]) : reset(one->fds[side]);
  free(one);
  connections[index] = connections[--connection_count];
}

static void take(int link) {
  int fd = accept(links[link].listener, NULL, NULL);
  if (fd < 0) return;
  struct connection *one;
  if (links[link].mode == CUT || connection_count == CONNECTIONS || !(one = calloc(1, sizeof *one))) {
    reset(fd);
    return;
  }
  int target = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = local(links[link].port);
  // On this machine it is decided at once.
  if (target < 0 || connect(target, (struct sockaddr *)&address, sizeof address)) {
    if (target >= 0) close(target);
    reset(fd);
    free(one);
    return;
  }
  prepare(fd);
  prepare(target);
  one->link = link;
  one->fds[0] = fd;
  one->fds[1] = target;
  connections[connection_count++] = one;
}

static void change(int link, enum mode mode) {
  for (int index = connection_count; index-- > 0;) {
    struct connection *one = connections[index];
    if (one->link == link && (mode == CUT || one->is_lossy)) end(index, 0);
  }
  links[link].mode = mode;
}

static void obey(char *line) {
  static const char *names[] = {"pass", "hold", "deaf", "cut"};
  char name[16];
  int link;
  if (sscanf(line, "%d %15s", &link, name) != 2 || link < 0 || link >= link_count) return;
  for (int mode = 0; mode < 4; mode++)
    if (!strcmp(name, names[mode])) change(link, mode);
  puts("ok");
  fflush(stdout);
}

static void listen_to_orders(void) {
  static char text[4096];
  static size_t count;
  ssize_t got = read(0, text + count, sizeof text - count - 1);
  if (got <= 0) exit(0);
  count += got;
  text[count] = 0;
  char *line = text, *next;
  while ((next = strchr(line, '\n'))) {
    *next++ = 0;
    obey(line);
    line = next;
  }
  count -= line - text;
  memmove(text, line, count);
}

// Moves what can be moved from one end to the other. False if the connection is broken.
static int carry(struct connection *one, int from, int events, int writable) {
  struct half *half = &one->halves[from];
  int is_lost = from == 1 && links[one->link].mode == DEAF;
  if (events & (POLLIN | POLLHUP | POLLERR) && !half->is_ended && half->count < BUFFER) {
    if (half->start + half->count == BUFFER) {
      memmove(half->bytes, half->bytes + half->start, half->count);
      half->start = 0;
    }
    size_t end = half->start + half->count;
    ssize_t got = recv(one->fds[from], half->bytes + end, BUFFER - end, 0);
    if (got == 0) half->is_ended = 1;
    if (got == 0 && is_lost) one->is_lossy = 1;
    if (got < 0 && errno != EAGAIN && errno != EINTR) return 0;
    if (got > 0) {
      if (is_lost) one->is_lossy = 1;
      else half->count += got;
      writable = 1;
    }
  }
  if (is_lost) return 1;
  if (half->count && writable) {
    ssize_t sent = send(one->fds[!from], half->bytes + half->start, half->count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return 0;
    if (sent > 0) {
      half->start = half->count == (size_t)sent ? 0 : half->start + sent;
      half->count -= sent;
    }
  }
  if (half->is_ended && !half->count && !half->is_told) {
    shutdown(one->fds[!from], SHUT_WR);
    half->is_told = 1;
  }
  return 1;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  if (argc < 2 || argc > LINKS) return 64;
  for (; link_count < argc - 1; link_count++) {
    struct sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 512) ||
        getsockname(fd, (struct sockaddr *)&address, &size))
      fail("listen");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    links[link_count].listener = fd;
    links[link_count].port = atoi(argv[link_count + 1]);
    printf("%d%s", ntohs(address.sin_port), link_count == argc - 2 ? "\n" : " ");
  }
  fflush(stdout);
  static struct pollfd polled[1 + LINKS + 2 * CONNECTIONS];
  while (1) {
    int count = 0;
    polled[count++] = (struct pollfd){0, POLLIN, 0};
    for (int link = 0; link < link_count; link++)
      polled[count++] = (struct pollfd){links[link].mode == HOLD ? -1 : links[link].listener, POLLIN, 0};
    int before = connection_count;
    for (int index = 0; index < before; index++) {
      struct connection *one = connections[index];
      for (int side = 0; side < 2; side++) {
        struct half *said = &one->halves[side], *heard = &one->halves[!side];
        int events = (!said->is_ended && said->count < BUFFER ? POLLIN : 0) | (heard->count ? POLLOUT : 0);
        // Without a wish, poll would tell of an end again and again.
        int is_still = links[one->link].mode == HOLD || !events;
        polled[count++] = (struct pollfd){is_still ? -1 : one->fds[side], events, 0};
      }
    }
    if (poll(polled, count, -1) < 0) {
      if (errno == EINTR) continue;
      fail("poll");
    }
    // Backwards, since the last one takes the place of one that ends.
    for (int index = before; index-- > 0;) {
      struct connection *one = connections[index];
      struct pollfd *ends = &polled[1 + link_count + 2 * index];
      if (!ends[0].revents && !ends[1].revents) continue;
      int is_whole = carry(one, 0, ends[0].revents, ends[1].revents & POLLOUT) &&
                     carry(one, 1, ends[1].revents, ends[0].revents & POLLOUT);
      if (!is_whole) end(index, 0);
      else if (one->halves[0].is_told && one->halves[1].is_told) end(index, 1);
    }
    for (int link = 0; link < link_count; link++)
      if (polled[1 + link].revents) take(link);
    if (polled[0].revents) listen_to_orders();
  }
}
