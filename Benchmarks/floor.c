// The lower bound of a broadcast: a server whose only work for a chat is to send one frame to every socket.
//
// Implements only the HTTP, WebSocket and Socket.IO that `fanout` needs: every socket that joins a namespace receives every POST. It reads
// no JSON, checks no token and stores nothing. One epoll thread.
// `floor PORT send` calls send() once per socket. `floor PORT uring` passes all sends of a broadcast to the kernel with one io_uring
// call, to show what fewer calls would save. Runs until it is killed.
#define _GNU_SOURCE
#define PROGRAM "floor"
#include "wire.h"
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { BUFFER = 8 << 10, MAX_MEMBERS = 16384, RING = 1024 };

typedef struct {
  Wire wire;
  int upgraded, place; // place among the members, -1 if it is none
} Client;

static Client *members[MAX_MEMBERS];
static int member_count;

static struct {
  int fd;
  unsigned *tail, *mask, *array, *done_head, *done_tail, *done_mask;
  struct io_uring_sqe *entries;
  struct io_uring_cqe *done;
} ring;

static void *map(int fd, size_t size, off_t what) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);
  if (at == MAP_FAILED) die("mmap");
  return at;
}

static void open_ring(void) {
  struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN};
  ring.fd = (int)syscall(SYS_io_uring_setup, RING, &p);
  if (ring.fd < 0) die("io_uring");
  char *sq = map(ring.fd, p.sq_off.array + p.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  char *cq = map(ring.fd, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
  ring.tail = (void *)(sq + p.sq_off.tail), ring.mask = (void *)(sq + p.sq_off.ring_mask), ring.array = (void *)(sq + p.sq_off.array);
  ring.done_head = (void *)(cq + p.cq_off.head), ring.done_tail = (void *)(cq + p.cq_off.tail);
  ring.done_mask = (void *)(cq + p.cq_off.ring_mask), ring.done = (void *)(cq + p.cq_off.cqes);
  ring.entries = map(ring.fd, p.sq_entries * sizeof *ring.entries, IORING_OFF_SQES);
}

// Sends the bytes to members[from..<to], at most as many as the ring holds, and waits until the kernel has accepted all.
static void send_by_ring(int from, int to, const char *bytes, size_t length) {
  unsigned tail = *ring.tail, count = to - from;
  for (int i = from; i < to; i++, tail++) {
    unsigned at = tail & *ring.mask;
    ring.entries[at] = (struct io_uring_sqe){
        .opcode = IORING_OP_SEND, .fd = members[i]->wire.fd, .addr = (uint64_t)(uintptr_t)bytes, .len = length, .msg_flags = MSG_NOSIGNAL};
    ring.array[at] = at;
  }
  __atomic_store_n(ring.tail, tail, __ATOMIC_RELEASE);
  if (syscall(SYS_io_uring_enter, ring.fd, count, count, IORING_ENTER_GETEVENTS, NULL, 0) < 0) die("io_uring_enter");
  for (unsigned done = 0; done < count;) {
    unsigned head = *ring.done_head;
    while (head != __atomic_load_n(ring.done_tail, __ATOMIC_ACQUIRE)) {
      if (ring.done[head++ & *ring.done_mask].res != (int)length) die_of(EIO, "a send of the ring");
      done++;
    }
    __atomic_store_n(ring.done_head, head, __ATOMIC_RELEASE);
    if (done < count && syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) die("io_uring_enter");
  }
}

static size_t frame(char *into, const char *text, size_t length) {
  size_t head = length < 126 ? 2 : 4;
  into[0] = (char)0x81, into[1] = (char)(length < 126 ? length : 126);
  if (length >= 126) into[2] = (char)(length >> 8), into[3] = (char)length;
  memcpy(into + head, text, length);
  return head + length;
}

static void say(Client *client, const char *text) {
  char bytes[256];
  send_all(&client->wire, bytes, frame(bytes, text, strlen(text)));
}

static void broadcast(Client *from, const char *body) {
  static char text[4096], bytes[4200], answer[4400];
  // As long as a real chat: the JSON of the POST is used as the chat's text.
  int length = snprintf(text, sizeof text,
                        "42/ws-channel-5f2b9c44-0d6e-4f7a-a1b3-77c9d0e1f203,[\"channel\",{\"channel_id\":\"5f2b9c44-0d6e-4f7a-a1b3-77c9d0e1f203\","
                        "\"channelName\":\"room1\",\"chat_id\":\"c0a8012e-7b1d-4e55-9b6f-3a2e1d0c9b80\",\"content\":%s,"
                        "\"createdAt\":\"2024-12-13T08:01:02.345Z\",\"files\":[],\"user\":{\"user_id\":\"0b9d1a8e-5c1f-4b5e-9d2a-0f6f3a1c7e11\","
                        "\"email\":\"p1@example.org\",\"nickname\":\"p1\",\"profileImage\":null}}]", body);
  size_t size = frame(bytes, text, length);
  for (int i = 0; i < member_count; i += ring.fd ? RING : 1) {
    if (ring.fd) send_by_ring(i, i + RING < member_count ? i + RING : member_count, bytes, size);
    else send_all(&members[i]->wire, bytes, size);
  }
  size = snprintf(answer, sizeof answer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", length, text);
  send_all(&from->wire, answer, size);
}

static void read_frames(Client *client) {
  size_t at = 0, length;
  char *text;
  while (ws_frame(&client->wire, &at, &text, &length) == 1) {
    // Masked with zeros: the mask is four bytes before the text.
    char packet[256], *room = text + 4;
    at += 4;
    if (client->place >= 0 || length < 2 || room[0] != '4' || room[1] != '0') continue;
    size_t name = strcspn(room + 2, ",");
    snprintf(packet, sizeof packet, "40%.*s,{\"sid\":\"mF3kQ0x9\"}", (int)name, room + 2);
    client->place = member_count;
    members[member_count++] = client;
    say(client, packet);
  }
  drop(&client->wire, at);
}

static void leave(Client *client) {
  if (client->place >= 0) (members[client->place] = members[--member_count])->place = client->place;
  close(client->wire.fd);
  free(client->wire.in);
  free(client);
}

static void read_client(Client *client) {
  int filled = fill(&client->wire);
  if (filled < 0) return leave(client);
  if (!filled) return;
  if (client->upgraded) return read_frames(client);
  char *body = strstr(client->wire.in, "\r\n\r\n"), *length = strcasestr(client->wire.in, "\r\ncontent-length:");
  if (!body) return;
  body += 4;
  if (!strncmp(client->wire.in, "POST", 4)) {
    if (!length || client->wire.length < (size_t)(body - client->wire.in) + strtoul(length + 17, NULL, 10)) return;
    // {"content":"..."}: the text from the value's first quotation mark to the last one.
    char *value = strchr(body, ':') + 1, *end = strrchr(value, '}');
    *end = 0;
    client->wire.length = 0;
    broadcast(client, value);
  } else {
    const char *answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    client->upgraded = 1;
    client->wire.length = 0;
    send_all(&client->wire, answer, strlen(answer));
    say(client, "0{\"sid\":\"mF3kQ0x9\",\"upgrades\":[],\"pingInterval\":25000,\"pingTimeout\":20000,\"maxPayload\":1000000}");
  }
}

int main(int argc, char **argv) {
  if (argc != 3 || (strcmp(argv[2], "send") && strcmp(argv[2], "uring"))) {
    fprintf(stderr, "usage: floor PORT send|uring\n");
    return 64;
  }
  if (!strcmp(argv[2], "uring")) open_ring();
  allow_many_files();
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, epoll = epoll_create1(0);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(listener, (void *)&address, size) || listen(listener, 4096) || getsockname(listener, (void *)&address, &size)) die("listen");
  watch(epoll, listener, EPOLLIN, NULL);
  printf("floor listening on %d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    struct epoll_event events[256];
    int ready = epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.ptr) {
        read_client(events[i].data.ptr);
        continue;
      }
      Client *client = calloc(1, sizeof *client);
      if (!client) die("memory");
      client->place = -1;
      client->wire.fd = accept(listener, NULL, NULL);
      if (client->wire.fd < 0) die("accept");
      setsockopt(client->wire.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      hold(&client->wire, BUFFER);
      watch(epoll, client->wire.fd, EPOLLIN, client);
    }
  }
}
