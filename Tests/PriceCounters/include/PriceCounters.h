#ifndef PRICE_COUNTERS_H
#define PRICE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/// What this process has done since `price_begin`. Counts of other threads at the same moment may get lost: the decoders
/// under examination run one at a time.
struct price_count {
  /// Edges taken between basic blocks of instrumented modules, what they inline of the standard library among them.
  uint64_t steps;
  /// Bytes allocated, copied, compared and searched.
  uint64_t bytes;
  /// Bytes allocated and not freed now, and the most at any moment since `price_begin`.
  int64_t live;
  int64_t peak;
};

/// Begins to count. More than `limit` steps, or 16 times as many bytes, end the process as a find.
void price_begin(uint64_t limit);

/// Ends counting: no limit from here on.
struct price_count price_end(void);

/// Reports a trap, or a limit that was passed, as a find and ends the process with status 3.
///
/// - `find` is printed in front; it is kept, not copied.
void price_watch(const char *find);

/// The input that is examined from here on.
void price_examine(uint64_t number);

#endif
