// What the references that use SQLite's C API share: one database, statements, a clock. A program includes it once, and says first
// what it is called: #define PROGRAM "sql-reads".
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static inline void check(int code) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  fprintf(stderr, PROGRAM ": %s\n", sqlite3_errmsg(database));
  exit(1);
}

// Opens a copy of a server's database with the server's settings, and those pragmas.
static inline void open_database(const char *path, const char *pragmas) {
  check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
  check(sqlite3_exec(database, "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384", NULL, NULL, NULL));
  check(sqlite3_exec(database, pragmas, NULL, NULL, NULL));
}

static inline sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

static inline void bind(sqlite3_stmt *statement, int index, sqlite3_int64 value) {
  check(sqlite3_bind_int64(statement, index, value));
}

static inline void text(sqlite3_stmt *statement, int index, const char *value) {
  check(sqlite3_bind_text(statement, index, value, -1, SQLITE_TRANSIENT));
}

static inline double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}
