// Measures chats from their POST to the last socket that receives them.
//
// Opens SOCKETS WebSockets at the listening server, spread evenly over the rooms of a file, then posts chats to these rooms in
// turn at the posting server: RATE a second, each at its time (-R), or with a fixed number in progress (-w). A chat is complete when
// its POST is answered and every socket of its room has it. A single epoll thread, so the time includes reading all sockets.
//
// The file has one room per line: TOKEN<tab>PATH TO POST TO<tab>NAMESPACE<tab>PATH OF HISTORY. With -W the server uses plain
// WebSocket instead of Socket.IO: NAMESPACE is then the path that a socket of that room requests.
// With -S this many people a second change rooms: their socket leaves one namespace and joins another, and they read its
// history. With -A the sockets use this many loopback addresses.
//
// Prints one JSON object. Latencies to the last socket start at the answer to a POST, when its transaction is committed; they are zero
// if the socket was first. post_* latencies start when the POST was due; answer_* latencies measure the POST alone. Unless rooms are
// changed, fails if a chat does not reach every socket of its room exactly once. Always ends by itself.
#define _GNU_SOURCE
#define PROGRAM "fanout"
#include "wire.h"

enum { MAX_SOCKETS = 16384, MAX_POSTS = 1 << 20, MAX_SWITCHES = 1 << 18, MAX_ROOMS = 4096, CALLERS = 64, BUFFER = 64 << 10, PARALLEL = 32 };
static const char MARK[] = "bench-";

typedef struct {
  char *token, *path, *namespace, *history;
  int sockets; // that joined it
} Room;

typedef struct {
  Wire wire;
  Room *room, *person; // where it is, and the line whose token it shows
  int joined;
  int change; // the change of rooms under way, -1 if none
} Socket;

typedef struct {
  Wire wire;
  int post, change; // what it waits for, -1 if nothing
} Caller;

static Room rooms[MAX_ROOMS];
static Socket sockets[MAX_SOCKETS];
static Caller callers[CALLERS];
static uint64_t due[MAX_POSTS], answered[MAX_POSTS], last_heard[MAX_POSTS], change_due[MAX_SWITCHES], changed[MAX_SWITCHES];
static int heard[MAX_POSTS], wanted[MAX_POSTS], change_left[MAX_SWITCHES];
static long opened, joined, deliveries, answers, over, changes_over;
static int room_count, plain, strict = 1;
static const char *key = "dev-key-2024-10";

static void read_rooms(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) die(path);
  char *line = NULL;
  size_t capacity = 0;
  while (room_count < MAX_ROOMS && getline(&line, &capacity, file) > 0) {
    line[strcspn(line, "\n")] = 0;
    char *rest = strdup(line), **fields[] = {&rooms[room_count].token, &rooms[room_count].path, &rooms[room_count].namespace,
                                             &rooms[room_count].history};
    for (int i = 0; i < 4; i++) *fields[i] = rest ? strsep(&rest, "\t") : "";
    room_count++;
  }
  free(line);
  fclose(file);
  if (!room_count) die_of(EINVAL, path);
}

static void finish(int post, uint64_t now) {
  if (!answered[post] || (strict && heard[post] < wanted[post])) return;
  if (!last_heard[post]) last_heard[post] = now;
  over++;
}

static void take_chat(char *text, size_t length, uint64_t now) {
  char *mark = memmem(text, length, MARK, sizeof MARK - 1);
  int post = mark ? atoi(mark + sizeof MARK - 1) : -1;
  if (post < 0 || post >= MAX_POSTS) die_of(EPROTO, "an event that is no chat of ours");
  heard[post]++;
  last_heard[post] = now;
  deliveries++;
  if (strict && heard[post] > wanted[post]) die_of(EPROTO, "a socket heard a chat twice");
  if (strict) finish(post, now);
}

static void end_part_of_change(int change, uint64_t now) {
  if (--change_left[change]) return;
  changed[change] = now;
  changes_over++;
}

static void has_joined(Socket *client, uint64_t now) {
  client->joined = 1;
  client->room->sockets++;
  joined++;
  if (client->change >= 0) end_part_of_change(client->change, now);
  client->change = -1;
}

static void read_socket(Socket *client) {
  if (!fill_or_die(&client->wire)) return;
  uint64_t now = now_us();
  size_t at = ws_upgraded(&client->wire), length;
  char *text;
  if (at && plain) has_joined(client, now);
  if (!at && client->wire.in[0] == 'H') return;
  for (int code; (code = ws_frame(&client->wire, &at, &text, &length)) >= 0;) {
    if (code == 8) die_of(ECONNRESET, "the server closed a WebSocket");
    if (code != 1) continue;
    int kind = plain ? 'e' : socketio_packet(&client->wire, text, length);
    if (kind == 'o') socketio_join(&client->wire, client->room->namespace, client->person->token);
    if (kind == 'j') has_joined(client, now);
    if (kind == 'e') take_chat(text, length, now);
  }
  drop(&client->wire, at);
}

static void read_answer(Caller *caller) {
  if (!fill_or_die(&caller->wire) || !http_answer(&caller->wire)) return;
  if (!http_is_ok(&caller->wire)) die_of(EPROTO, caller->wire.in);
  uint64_t now = now_us();
  if (caller->post >= 0) {
    answered[caller->post] = now;
    answers++;
    finish(caller->post, now);
  } else {
    end_part_of_change(caller->change, now);
  }
  caller->post = caller->change = -1;
  caller->wire.length = 0;
}

static Caller *free_caller(void) {
  for (int i = 0; i < CALLERS; i++)
    if (callers[i].post < 0 && callers[i].change < 0) return &callers[i];
  return NULL;
}

static void ask(Caller *caller, const char *method, const char *path, const Room *room, const char *body) {
  char *request = http_request(method, path, key, room->token, body);
  send_all(&caller->wire, request, strlen(request));
  free(request);
}

static void post_to(Caller *caller, int post, uint64_t when) {
  Room *room = &rooms[post % room_count];
  char body[128];
  snprintf(body, sizeof body, "{\"content\":\"%s%d: see you at the courtyard at six.\"}", MARK, post);
  caller->post = post;
  due[post] = when;
  wanted[post] = room->sockets;
  ask(caller, "POST", room->path, room, body);
}

// A person opens another room.
static void change_room(Caller *caller, int change, int count, uint64_t when) {
  static uint64_t random = 88172645463325252ull;
  Socket *client;
  do {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    client = &sockets[random % count];
  } while (!client->joined);
  char leave[256];
  snprintf(leave, sizeof leave, "41%s,", client->room->namespace);
  client->room->sockets--;
  client->joined = 0;
  joined--;
  client->room = &rooms[(client->room - rooms + 1 + (random >> 32) % (room_count > 1 ? room_count - 1 : 1)) % room_count];
  client->change = caller->change = change;
  change_due[change] = when;
  change_left[change] = 2;
  ws_text(&client->wire, leave);
  socketio_join(&client->wire, client->room->namespace, client->person->token);
  ask(caller, "GET", client->room->history, client->room, "");
}

static double *times(int first, int count, const uint64_t *from, const uint64_t *to) {
  double *values = malloc((count + 1) * sizeof *values);
  if (!values) die("memory");
  for (int i = 0; i < count; i++) values[i] = to[first + i] > from[first + i] ? (to[first + i] - from[first + i]) / 1e3 : 0;
  return values;
}

int main(int argc, char **argv) {
  int option, post_port = 0, listen_port = 0, count = 1000, window = 0, addresses = 0, pid = 0;
  double seconds = 10, warm = 0, rate = 100, change_rate = 0;
  const char *file = NULL;
  while ((option = getopt(argc, argv, "a:b:r:c:R:w:S:s:u:k:A:P:W")) != -1) switch (option) {
    case 'a': post_port = atoi(optarg); break;
    case 'b': listen_port = atoi(optarg); break;
    case 'r': file = optarg; break;
    case 'c': count = atoi(optarg); break;
    case 'R': rate = atof(optarg); break;
    case 'w': window = atoi(optarg); break;
    case 'S': change_rate = atof(optarg); break;
    case 's': seconds = atof(optarg); break;
    case 'u': warm = atof(optarg); break;
    case 'k': key = optarg; break;
    case 'A': addresses = atoi(optarg); break;
    case 'P': pid = atoi(optarg); break;
    case 'W': plain = 1; break;
    default: return 64;
    }
  if (!listen_port) listen_port = post_port;
  if (!post_port || !file || count < 1 || count > MAX_SOCKETS || window > CALLERS || rate * (seconds + warm) > MAX_POSTS ||
      change_rate * (seconds + warm) > MAX_SWITCHES || (plain && change_rate > 0)) {
    fprintf(stderr, "usage: fanout -a POST_PORT [-b LISTEN_PORT] -r ROOMS [-c SOCKETS] [-R POSTS_A_SECOND | -w POSTS_AT_A_TIME]"
                    " [-S CHANGES_A_SECOND] [-u WARM_UP_S] [-s SECONDS] [-k KEY] [-A ADDRESSES] [-P SERVER_PID] [-W]\n");
    return 64;
  }
  strict = change_rate == 0;
  allow_many_files();
  read_rooms(file);
  int epoll = epoll_create1(0);
  if (epoll < 0) die("epoll");
  for (int i = 0; i < CALLERS; i++) {
    callers[i].post = callers[i].change = -1;
    hold(&callers[i].wire, BUFFER);
    dial(&callers[i].wire, post_port, 0, 0);
    watch(epoll, callers[i].wire.fd, EPOLLIN, &callers[i]);
  }

  uint64_t begin = 0, measured = 0, end = 0, heard_at = now_us(), now, cpu = 0;
  int next = 0, changes = 0, first = 0, first_change = 0;
  long deliveries_before = 0;
  while (!end || now_us() < end || answers < next || changes_over < changes || (strict && over < next)) {
    now = now_us();
    if (now - heard_at > STALL_SECONDS * 1000000ull) die_of(ETIMEDOUT, "nothing came in for a while");
    // A few at a time, so that the server is not flooded.
    while (!begin && opened < count && opened - joined < PARALLEL) {
      Socket *client = &sockets[opened];
      client->room = client->person = &rooms[opened % room_count];
      client->change = -1;
      hold(&client->wire, 4096);
      dial(&client->wire, listen_port, addresses ? 1 + opened % addresses : 0, 0);
      watch(epoll, client->wire.fd, EPOLLIN, client);
      ws_upgrade(&client->wire, plain ? client->room->namespace : SOCKETIO_PATH);
      opened++;
    }
    if (!begin && joined == count) {
      begin = now + 500000;
      measured = begin + warm * 1e6;
      end = measured + seconds * 1e6;
    }
    if (begin && !cpu && now >= measured) {
      measured = now, first = next, first_change = changes, deliveries_before = deliveries;
      if (pid) cpu = cpu_ns(pid);
      else cpu = 1;
    }
    Caller *caller;
    while (begin && now >= begin && now < end && next < MAX_POSTS && (caller = free_caller())) {
      uint64_t when = window ? now : begin + (uint64_t)(next * 1e6 / rate);
      if (window ? next - over >= window : now < when) break;
      post_to(caller, next++, when);
    }
    while (begin && change_rate > 0 && now < end && (caller = free_caller())) {
      uint64_t when = begin + (uint64_t)(changes * 1e6 / change_rate);
      if (now < when) break;
      change_room(caller, changes++, count, when);
    }
    struct epoll_event events[256];
    int ready = epoll_wait(epoll, events, 256, 1);
    if (ready > 0) heard_at = now_us();
    for (int i = 0; i < ready; i++) {
      Caller *from = events[i].data.ptr;
      if (from >= callers && from < callers + CALLERS) read_answer(from);
      else read_socket(events[i].data.ptr);
    }
  }
  double took = (now_us() - measured) / 1e6, cpu_us = pid ? (cpu_ns(pid) - cpu) / 1e3 : 0;
  int posts = next - first, switches = changes - first_change;
  long delivered = deliveries - deliveries_before;
  if (posts < 1) die_of(ETIMEDOUT, "no post was measured");
  double *to_last = times(first, posts, answered, last_heard), *from_post = times(first, posts, due, last_heard);
  double *to_answer = times(first, posts, due, answered), *to_change = times(first_change, switches, change_due, changed);
  printf("{\"posts\":%d,\"sockets\":%d,\"p50_ms\":%.2f,\"p99_ms\":%.2f,\"max_ms\":%.2f,", posts, count, percentile(to_last, posts, 0.5),
         percentile(to_last, posts, 0.99), percentile(to_last, posts, 1));
  printf("\"post_p50_ms\":%.2f,\"post_p99_ms\":%.2f,\"answer_p50_ms\":%.2f,\"answer_p99_ms\":%.2f,", percentile(from_post, posts, 0.5),
         percentile(from_post, posts, 0.99), percentile(to_answer, posts, 0.5), percentile(to_answer, posts, 0.99));
  printf("\"changes\":%d,\"change_p50_ms\":%.2f,\"change_p99_ms\":%.2f,", switches, percentile(to_change, switches, 0.5),
         percentile(to_change, switches, 0.99));
  printf("\"per_second\":%.1f,\"deliveries\":%ld,\"cpu_us_per_post\":%.1f,\"cpu_ms_per_1000\":%.3f}\n", posts / took, delivered,
         cpu_us / posts, delivered ? cpu_us / delivered : 0);
  return 0;
}
