#include <sqlite3.h>

/* Swift cannot call what takes any number of arguments. */
static inline int madang_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
