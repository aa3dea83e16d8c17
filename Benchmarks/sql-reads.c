// The reference of reads: the statements of a page of history, or of an unread count, through SQLite's C API only.
//
// Runs on a copy of a server's database, with the server's settings, for the members of a room in turn; each call is one read
// transaction. Usage: sql-reads DATABASE ROOM AFTER_MS history|unreads SECONDS. Prints one JSON object.
#define PROGRAM "sql-reads"
#include "sqlite.h"

enum { MAX_READERS = 256 };

typedef struct {
  sqlite3_int64 session, session_began, user, room;
  char room_uuid[40], workspace[40];
} Reader;

static Reader readers[MAX_READERS];
static int reader_count;

// Reads every value of every row. Returns the number of rows, and the first value of the last row if it is a number.
static int run(sqlite3_stmt *statement, sqlite3_int64 *value) {
  int code, rows = 0;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (value) *value = sqlite3_column_int64(statement, 0);
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      if (sqlite3_column_type(statement, i) == SQLITE_INTEGER) (void)sqlite3_column_int64(statement, i);
      else (void)sqlite3_column_text(statement, i);
    }
    rows++;
  }
  check(code);
  sqlite3_reset(statement);
  return rows;
}

static void read_readers(const char *room) {
  sqlite3_stmt *query = prepare(
      "SELECT s.id, s.created_at, m.user_id, r.id, r.uuid, w.uuid FROM channel_members m JOIN sessions s ON s.user_id = m.user_id"
      " JOIN rooms r ON r.id = m.room_id JOIN workspaces w ON w.id = r.workspace_id WHERE r.uuid = $1 ORDER BY m.user_id");
  text(query, 1, room);
  while (reader_count < MAX_READERS && sqlite3_step(query) == SQLITE_ROW) {
    Reader *reader = &readers[reader_count++];
    reader->session = sqlite3_column_int64(query, 0), reader->session_began = sqlite3_column_int64(query, 1);
    reader->user = sqlite3_column_int64(query, 2), reader->room = sqlite3_column_int64(query, 3);
    snprintf(reader->room_uuid, sizeof reader->room_uuid, "%s", sqlite3_column_text(query, 4));
    snprintf(reader->workspace, sizeof reader->workspace, "%s", sqlite3_column_text(query, 5));
  }
  sqlite3_finalize(query);
  if (!reader_count) {
    fprintf(stderr, PROGRAM ": nobody is in that room\n");
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: " PROGRAM " DATABASE ROOM AFTER_MS history|unreads SECONDS\n");
    return 64;
  }
  int history = !strcmp(argv[4], "history");
  sqlite3_int64 after = atoll(argv[3]);
  open_database(argv[1], "");
  read_readers(argv[2]);

  sqlite3_stmt *begin = prepare("BEGIN DEFERRED"), *end = prepare("ROLLBACK");
  sqlite3_stmt *caller = prepare(
      "SELECT u.id AS user_id, u.uuid AS user_uuid, u.email, u.nickname, u.profile_image FROM sessions s"
      " LEFT JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND s.created_at = $2 AND s.edition = '2024-10'"
      " AND u.disabled_at IS NULL");
  sqlite3_stmt *room = prepare(
      "SELECT r.id AS room_id, r.uuid AS room_uuid, r.kind, r.workspace_id, r.last_seq,"
      " (SELECT c.name FROM channels c WHERE c.room_id = r.id) AS room_name FROM rooms r"
      " WHERE r.uuid = $1 AND r.deleted_at IS NULL AND r.kind = 'channel'"
      " AND EXISTS (SELECT 1 FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = $2"
      " WHERE w.id = r.workspace_id AND w.uuid = $3 AND w.deleted_at IS NULL)");
  sqlite3_stmt *member = prepare("SELECT 1 AS found FROM channel_members WHERE room_id = $1 AND user_id = $2");
  sqlite3_stmt *page = prepare(
      "SELECT COALESCE(SUM(size), 0) AS total FROM (SELECT created_at, length(content) AS size FROM chats"
      " WHERE room_id = $1 AND created_at > $2 ORDER BY created_at LIMIT 500) AS page");
  sqlite3_stmt *chats = prepare(
      "SELECT c.id AS chat_id, c.uuid AS chat_uuid, c.seq, c.content, c.file_count, c.created_at, u.id AS user_id,"
      " u.uuid AS user_uuid, u.email, u.nickname, u.profile_image FROM chats c JOIN users u ON u.id = c.author_id"
      " WHERE c.room_id = $1 AND c.created_at > $2 AND c.created_at <= 9223372036854775807 ORDER BY c.created_at LIMIT 500");
  sqlite3_stmt *before = prepare(
      "SELECT seq FROM chats WHERE room_id = $1 AND created_at <= $2 ORDER BY created_at DESC LIMIT 1");
  sqlite3_stmt *own_last = prepare(
      "SELECT author_ordinal FROM chats WHERE room_id = $1 AND author_id = $2 ORDER BY created_at DESC LIMIT 1");
  sqlite3_stmt *own_before = prepare(
      "SELECT author_ordinal FROM chats WHERE room_id = $1 AND author_id = $2 AND created_at <= $3"
      " ORDER BY created_at DESC LIMIT 1");

  double start = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), stop = start + atof(argv[5]);
  long calls = 0, rows = 0;
  for (; seconds_of(CLOCK_MONOTONIC) < stop; calls++) {
    const Reader *reader = &readers[calls % reader_count];
    run(begin, NULL);
    bind(caller, 1, reader->session), bind(caller, 2, reader->session_began);
    if (run(caller, NULL) != 1) check(SQLITE_ERROR);
    text(room, 1, reader->room_uuid), bind(room, 2, reader->user), text(room, 3, reader->workspace);
    if (run(room, NULL) != 1) check(SQLITE_ERROR);
    if (history) {
      bind(member, 1, reader->room), bind(member, 2, reader->user), run(member, NULL);
      bind(page, 1, reader->room), bind(page, 2, after), run(page, NULL);
      bind(chats, 1, reader->room), bind(chats, 2, after), rows = run(chats, NULL);
    } else {
      sqlite3_int64 last = 0, own = 0;
      bind(before, 1, reader->room), bind(before, 2, after), run(before, NULL);
      bind(own_last, 1, reader->room), bind(own_last, 2, reader->user);
      if (run(own_last, &last)) {
        bind(own_before, 1, reader->room), bind(own_before, 2, reader->user), bind(own_before, 3, after);
        run(own_before, &own);
      }
      rows = last - own;
    }
    run(end, NULL);
  }
  printf("{\"calls\":%ld,\"rows\":%ld,\"cpu_ms_per_1000\":%.2f}\n", calls, rows,
         (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) * 1e6 / calls);
  return 0;
}
