// The reference of the SQLite benchmark: the statements of one post in a loop, with one durable commit per chat.
//
// Runs on a copy of a server's database, with the server's settings, over all its channels and members in turn.
// Usage: one-commit-per-row DATABASE SECONDS. Prints one JSON object.
#define PROGRAM "one-commit-per-row"
#include "sqlite.h"
#include <sys/time.h>

enum { MAX_POSTERS = 256 };

typedef struct {
  sqlite3_int64 session, user;
  char room[40], workspace[40];
} Poster;

static Poster posters[MAX_POSTERS];
static int poster_count;

static void run(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
  check(code);
  sqlite3_reset(statement);
}

static double now(void) { return seconds_of(CLOCK_MONOTONIC); }

static sqlite3_int64 wall_ms(void) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec * 1000ll + t.tv_usec / 1000;
}

// Each member in each channel: session, user and the ids that a request would name.
static void read_posters(void) {
  sqlite3_stmt *query = prepare(
      "SELECT s.id, m.user_id, r.uuid, w.uuid FROM channel_members m JOIN sessions s ON s.user_id = m.user_id"
      " JOIN rooms r ON r.id = m.room_id JOIN workspaces w ON w.id = r.workspace_id ORDER BY m.user_id, r.id");
  while (poster_count < MAX_POSTERS && sqlite3_step(query) == SQLITE_ROW) {
    Poster *poster = &posters[poster_count++];
    poster->session = sqlite3_column_int64(query, 0);
    poster->user = sqlite3_column_int64(query, 1);
    snprintf(poster->room, sizeof poster->room, "%s", sqlite3_column_text(query, 2));
    snprintf(poster->workspace, sizeof poster->workspace, "%s", sqlite3_column_text(query, 3));
  }
  sqlite3_finalize(query);
  if (!poster_count) {
    fprintf(stderr, PROGRAM ": nobody is in a channel\n");
    exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: " PROGRAM " DATABASE SECONDS\n");
    return 64;
  }
  open_database(argv[1], "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000");
  read_posters();

  sqlite3_stmt *caller = prepare(
      "SELECT u.id AS user_id, u.uuid AS user_uuid, u.email, u.nickname, u.profile_image FROM sessions s"
      " LEFT JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND s.edition = $2");
  sqlite3_stmt *advance = prepare(
      "UPDATE rooms AS r SET last_seq = last_seq + 1,"
      " last_chat_at = CASE WHEN last_chat_at >= $1 THEN last_chat_at + 1 ELSE $2 END"
      " WHERE r.uuid = $3 AND r.kind = $4 AND EXISTS (SELECT 1 FROM workspaces w"
      " JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = $5 WHERE w.id = r.workspace_id AND w.uuid = $6)"
      " AND EXISTS (SELECT 1 FROM channel_members p WHERE p.room_id = r.id AND p.user_id = $7)"
      " RETURNING id AS room_id, uuid AS room_uuid, kind, last_seq, last_chat_at,"
      " (SELECT c.name FROM channels c WHERE c.room_id = id) AS room_name");
  sqlite3_stmt *insert = prepare(
      "INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)"
      " VALUES ($1, $2, $3, $4, COALESCE((SELECT author_ordinal FROM chats WHERE room_id = $5 AND author_id = $6"
      " ORDER BY created_at DESC LIMIT 1), 0) + 1, $7, $8, $9) RETURNING id");
  sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
  sqlite3_stmt *uuid = prepare("SELECT lower(hex(randomblob(16)))");

  double start = now(), end = start + atof(argv[2]);
  long rows = 0;
  for (; now() < end; rows++) {
    const Poster *poster = &posters[rows % poster_count];
    bind(caller, 1, poster->session);
    text(caller, 2, "2024-10");
    run(caller);

    char id[40] = "";
    if (sqlite3_step(uuid) == SQLITE_ROW) snprintf(id, sizeof id, "%s", sqlite3_column_text(uuid, 0));
    sqlite3_reset(uuid);

    run(begin);
    sqlite3_int64 time = wall_ms();
    bind(advance, 1, time);
    bind(advance, 2, time);
    text(advance, 3, poster->room);
    text(advance, 4, "channel");
    bind(advance, 5, poster->user);
    text(advance, 6, poster->workspace);
    bind(advance, 7, poster->user);
    if (sqlite3_step(advance) != SQLITE_ROW) check(SQLITE_ERROR);
    sqlite3_int64 room = sqlite3_column_int64(advance, 0), seq = sqlite3_column_int64(advance, 3);
    sqlite3_int64 created_at = sqlite3_column_int64(advance, 4);
    run(advance);

    text(insert, 1, id);
    bind(insert, 2, room);
    bind(insert, 3, seq);
    bind(insert, 4, poster->user);
    bind(insert, 5, room);
    bind(insert, 6, poster->user);
    text(insert, 7, "See you at the courtyard at six.");
    bind(insert, 8, 0);
    bind(insert, 9, created_at);
    run(insert);
    run(commit);
  }
  printf("{\"rows\":%ld,\"per_second\":%.1f}\n", rows, rows / (now() - start));
  return 0;
}
