// Messages per second end to end through an XMPP server: people write to others, and each writes again when the message was received.
//
// The accounts a0 to a63 write and r0 to r7 receive, all with the password "secret" in the domain "localhost"; 64 messages are in progress
// at a time. The server must accept PLAIN on a connection without TLS. Prints one JSON object. Always ends by itself.
#define _GNU_SOURCE
#define PROGRAM "xmpp"
#include "wire.h"

enum { WRITERS = 64, READERS = 8, MAX_MESSAGES = 1 << 20 };

typedef struct {
  Wire wire;
  char name[8];
  enum { GREETED, SIGNED_IN, BOUND, READY } state;
} Person;

static Person people[WRITERS + READERS];
static uint64_t sent[MAX_MESSAGES], heard[MAX_MESSAGES];
static int ready, next, over;

static void say(Person *person, const char *text) { send_all(&person->wire, text, strlen(text)); }

static void greet(Person *person) {
  say(person, "<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' "
              "xmlns:stream='http://etherx.jabber.org/streams'>");
}

static void sign_in(Person *person) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char plain[32] = {0};
  char code[64], stanza[256];
  int length = 2 + snprintf((char *)plain + 1, sizeof plain - 1, "%s", person->name), at = 0;
  length += snprintf((char *)plain + length, sizeof plain - length, "secret");
  for (int i = 0; i < length; i += 3) {
    unsigned bits = plain[i] << 16 | (i + 1 < length ? plain[i + 1] << 8 : 0) | (i + 2 < length ? plain[i + 2] : 0);
    for (int j = 0; j < 4; j++) code[at++] = i + j > length ? '=' : digits[bits >> (18 - 6 * j) & 63];
  }
  snprintf(stanza, sizeof stanza, "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>%.*s</auth>", at, code);
  say(person, stanza);
}

static void write_message(int writer, uint64_t now) {
  char stanza[256];
  if (next >= MAX_MESSAGES) return;
  snprintf(stanza, sizeof stanza,
           "<message type='chat' to='r%d@localhost' id='m%d'><body>bench-%d-%d: see you at the courtyard at six.</body></message>",
           writer % READERS, next, next, writer);
  sent[next++] = now;
  say(&people[writer], stanza);
}

// Handles one step of signing in, or all complete messages.
static void take(Person *person, int writing) {
  char *in = person->wire.in, *end;
  if (strstr(in, "<failure") || strstr(in, "<stream:error") || strstr(in, "type='error'")) die_of(EACCES, in);
  if (person->state == READY && person >= people + WRITERS) {
    while ((end = strstr(person->wire.in, "</message>"))) {
      char *mark = strstr(person->wire.in, "bench-");
      int message, writer;
      if (mark && mark < end && sscanf(mark, "bench-%d-%d", &message, &writer) == 2 && !heard[message]) {
        heard[message] = now_us();
        over++;
        if (writing) write_message(writer, heard[message]);
      }
      drop(&person->wire, end + 10 - person->wire.in);
      person->wire.in[person->wire.length] = 0;
    }
    return;
  }
  const char *awaited[] = {"</stream:features>", "<success", "</stream:features>"};
  if (person->state == READY || (person->state == BOUND && strstr(in, "id='bind'"))) {
    if (person->state == BOUND) {
      person->state = READY;
      ready++;
      say(person, "<presence/>");
    }
    person->wire.length = 0;
    return;
  }
  static int step[WRITERS + READERS];
  int *at = &step[person - people];
  if (*at > 2 || !strstr(in, awaited[*at])) return;
  person->wire.length = 0;
  if (*at == 0) sign_in(person);
  if (*at == 1) greet(person);
  if (*at == 2) {
    person->state = BOUND;
    say(person, "<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>");
  }
  ++*at;
}

int main(int argc, char **argv) {
  int option, port = 0, pid = 0;
  double seconds = 5, warm = 0.5;
  while ((option = getopt(argc, argv, "p:P:s:u:")) != -1) switch (option) {
    case 'p': port = atoi(optarg); break;
    case 'P': pid = atoi(optarg); break;
    case 's': seconds = atof(optarg); break;
    case 'u': warm = atof(optarg); break;
    default: return 64;
    }
  if (!port || !pid) {
    fprintf(stderr, "usage: xmpp -p PORT -P SERVER_PID [-u WARM_UP_S] [-s SECONDS]\n");
    return 64;
  }
  int epoll = epoll_create1(0);
  for (int i = 0; i < WRITERS + READERS; i++) {
    snprintf(people[i].name, sizeof people[i].name, "%c%d", i < WRITERS ? 'a' : 'r', i < WRITERS ? i : i - WRITERS);
    hold(&people[i].wire, 256 << 10);
    dial(&people[i].wire, port, 0, 0);
    watch(epoll, people[i].wire.fd, EPOLLIN, &people[i]);
    greet(&people[i]);
  }
  uint64_t begin = 0, end = 0, cpu = 0, heard_at = now_us();
  int first = 0, first_over = 0;
  while (!end || now_us() < end) {
    uint64_t now = now_us();
    if (now - heard_at > STALL_SECONDS * 1000000ull) die_of(ETIMEDOUT, "nothing came in for a while");
    if (!begin && ready == WRITERS + READERS) {
      begin = now + warm * 1e6;
      end = begin + seconds * 1e6;
      for (int i = 0; i < WRITERS; i++) write_message(i, now);
    }
    if (begin && !cpu && now >= begin) begin = now, first = next, first_over = over, cpu = cpu_ns(pid);
    struct epoll_event events[128];
    int count = epoll_wait(epoll, events, 128, 5);
    if (count > 0) heard_at = now_us();
    for (int i = 0; i < count; i++) {
      Person *person = events[i].data.ptr;
      if (fill_or_die(&person->wire)) take(person, 1);
    }
  }
  double took = (now_us() - begin) / 1e6, cpu_us = (cpu_ns(pid) - cpu) / 1e3;
  double *times = malloc(MAX_MESSAGES * sizeof *times);
  int count = 0;
  for (int i = first; i < next; i++)
    if (heard[i]) times[count++] = (heard[i] - sent[i]) / 1e3;
  if (!count) die_of(ETIMEDOUT, "no message was measured");
  printf("{\"posts\":%d,\"per_second\":%.1f,\"cpu_us_per_post\":%.1f,\"post_p50_ms\":%.2f,\"post_p99_ms\":%.2f}\n", over - first_over,
         (over - first_over) / took, cpu_us / (over - first_over), percentile(times, count, 0.5), percentile(times, count, 0.99));
  return 0;
}
