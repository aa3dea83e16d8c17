// Measures how long many sockets take to return after a restart of their server.
//
// Opens SOCKETS WebSockets at PORT, spread over the rooms of a file in the format of `fanout`, prints "ready" when all have joined, and
// waits for the server to end. Each socket whose connection ends reconnects at once, then every RETRY_MS while the port is closed, all at
// the same moments, as real clients do. Ends QUIET_S after all sockets are back in their rooms, and prints one JSON object. The time starts
// at the first connection that the new server accepts. `refused` counts connections that the new server closed or answered unexpectedly. A
// server counts as new once the port was found closed. Always ends by itself.
#define _GNU_SOURCE
#define PROGRAM "reconnect"
#include "wire.h"

enum { MAX_SOCKETS = 16384, MAX_ROOMS = 4096, RETRY_MS = 50, PARALLEL = 64, LIMIT_SECONDS = 120 };

typedef struct {
  Wire wire;
  enum { AWAY, CONNECTING, OPENING, IN } state;
  int index, is_new; // whether its connection is one to the new server
} Socket;

static Socket sockets[MAX_SOCKETS];
static struct { char *token, *namespace; } rooms[MAX_ROOMS];
static int room_count, count = 5000, in, addresses = 16, port, epoll, back, gone;
static long refused;
static uint64_t first_taken;
static double came_back[MAX_SOCKETS]; // ms

static void go_away(Socket *client) {
  refused += client->is_new && (client->state == OPENING || client->state == IN);
  in -= client->state == IN;
  close(client->wire.fd);
  client->state = AWAY;
}

static void open_socket(Socket *client) {
  dial(&client->wire, port, 1 + client->index % addresses, SOCK_NONBLOCK);
  client->state = CONNECTING;
  client->is_new = 0;
  watch(epoll, client->wire.fd, EPOLLIN | EPOLLOUT, client);
}

static void read_socket(Socket *client) {
  int filled = fill(&client->wire);
  if (filled < 0) return go_away(client);
  if (!filled) return;
  if (!strncmp(client->wire.in, "HTTP/1.1 ", 9) && strncmp(client->wire.in, "HTTP/1.1 101", 12)) return go_away(client);
  size_t at = ws_upgraded(&client->wire), length;
  char *text;
  if (!at && client->wire.in[0] == 'H') return;
  for (int code; (code = ws_frame(&client->wire, &at, &text, &length)) >= 0;) {
    if (code == 8) return go_away(client);
    if (code != 1) continue;
    // A socket that is refused a room receives 44.
    if (length > 1 && text[0] == '4' && (text[1] == '4' || text[1] == '1')) return go_away(client);
    int kind = socketio_packet(&client->wire, text, length), room = client->index % room_count;
    if (kind == 'o') socketio_join(&client->wire, rooms[room].namespace, rooms[room].token);
    if (kind == 'j') {
      client->state = IN;
      in++;
      if (client->is_new && back < MAX_SOCKETS) came_back[back++] = (now_us() - first_taken) / 1e3;
    }
  }
  drop(&client->wire, at);
}

static void connected(Socket *client) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(client->wire.fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == ECONNREFUSED) gone = 1;
  if (error) return go_away(client);
  client->is_new = gone;
  if (client->is_new && !first_taken) first_taken = now_us();
  client->state = OPENING;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, client->wire.fd, &event) < 0) die("epoll");
  ws_upgrade(&client->wire, SOCKETIO_PATH);
}

static void turn(void) {
  struct epoll_event events[512];
  int ready = epoll_wait(epoll, events, 512, 5);
  for (int i = 0; i < ready; i++) {
    Socket *client = events[i].data.ptr;
    if (client->state == CONNECTING) connected(client);
    else if (client->state != AWAY) read_socket(client);
  }
}

static void read_rooms(const char *path) {
  FILE *file = fopen(path, "r");
  char *line = NULL;
  size_t capacity = 0;
  if (!file) die(path);
  while (room_count < MAX_ROOMS && getline(&line, &capacity, file) > 0) {
    char *rest = strdup(line);
    rooms[room_count].token = strsep(&rest, "\t");
    strsep(&rest, "\t");
    rooms[room_count].namespace = rest ? strsep(&rest, "\t\n") : NULL;
    if (!rooms[room_count++].namespace) die_of(EINVAL, path);
  }
  free(line);
  fclose(file);
  if (!room_count) die_of(EINVAL, path);
}

int main(int argc, char **argv) {
  int option;
  double quiet = 3;
  const char *file = NULL;
  while ((option = getopt(argc, argv, "p:r:c:A:q:")) != -1) switch (option) {
    case 'p': port = atoi(optarg); break;
    case 'r': file = optarg; break;
    case 'c': count = atoi(optarg); break;
    case 'A': addresses = atoi(optarg); break;
    case 'q': quiet = atof(optarg); break;
    default: return 64;
    }
  if (!port || !file || count < 1 || count > MAX_SOCKETS || addresses < 1) {
    fprintf(stderr, "usage: reconnect -p PORT -r ROOMS [-c SOCKETS] [-A ADDRESSES] [-q QUIET_S]\n");
    return 64;
  }
  allow_many_files();
  read_rooms(file);
  epoll = epoll_create1(0);
  uint64_t began = now_us(), limit = began + LIMIT_SECONDS * 1000000ull;
  for (int opened = 0; in < count; turn()) {
    for (; opened < count && opened - in < PARALLEL; opened++) {
      sockets[opened].index = opened;
      hold(&sockets[opened].wire, 4096);
      open_socket(&sockets[opened]);
    }
    if (gone || now_us() > limit) die_of(ETIMEDOUT, "the sockets did not come in at first");
  }
  printf("ready\n");
  fflush(stdout);
  while (in == count && now_us() < limit) turn();
  uint64_t next = 0, end = 0, settled = 0;
  while (!settled || now_us() < settled) {
    if (now_us() > limit) die_of(ETIMEDOUT, "the sockets did not come back");
    if (now_us() >= next) {
      for (int i = 0; i < count; i++)
        if (sockets[i].state == AWAY) open_socket(&sockets[i]);
      next = now_us() + RETRY_MS * 1000;
    }
    turn();
    if (in == count && gone && !end) end = now_us(), settled = end + quiet * 1e6;
  }
  printf("{\"sockets\":%d,\"seconds\":%.3f,\"p50_ms\":%.0f,\"p99_ms\":%.0f,\"refused\":%ld}\n", count, (end - first_taken) / 1e6,
         percentile(came_back, back, 0.5), percentile(came_back, back, 0.99), refused);
  return 0;
}
