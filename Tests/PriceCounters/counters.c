// Counts what decoders do without a line in them: the compiler calls `__sanitizer_cov_trace_pc_guard` at every edge of
// instrumented modules, and the allocator and the functions that walk over memory are replaced by counting ones.
#define _GNU_SOURCE
#include "PriceCounters.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t steps, bytes, limit = UINT64_MAX;
static int64_t live, peak;
static const char *find = "";
static uint64_t examined;

static void report(const char *what, int detail) {
  limit = UINT64_MAX;
  char line[512];
  int length = snprintf(line, sizeof line, "%s%llu: %s %d\n", find, (unsigned long long)examined, what, detail);
  if (length > 0) (void)!write(STDOUT_FILENO, line, (size_t)length);
  _exit(3);
}

static inline void took_bytes(size_t size) {
  bytes += size;
  if (bytes / 16 > limit) report("works beyond every limit; bytes walked over, in MiB:", (int)(bytes >> 20));
}

// MARK: Steps

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  (void)start;
  (void)stop;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  (void)guard;
  if (++steps > limit) report("works beyond every limit; steps, in thousands:", (int)(steps / 1000));
}

// MARK: Memory

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static void *gained(void *memory) {
  if (memory) {
    size_t size = malloc_usable_size(memory);
    took_bytes(size);
    live += (int64_t)size;
    if (live > peak) peak = live;
  }
  return memory;
}

static void lost(void *memory) {
  if (memory) live -= (int64_t)malloc_usable_size(memory);
}

void *malloc(size_t size) { return gained(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return gained(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return gained(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return gained(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = gained(__libc_memalign(alignment, size));
  return *memory ? 0 : ENOMEM;
}

void *realloc(void *old, size_t size) {
  lost(old);
  return gained(__libc_realloc(old, size));
}

void free(void *memory) {
  lost(memory);
  __libc_free(memory);
}

// MARK: Walks over memory

static void *(*real_memcpy)(void *, const void *, size_t);
static void *(*real_memmove)(void *, const void *, size_t);
static void *(*real_memset)(void *, int, size_t);
static void *(*real_memchr)(const void *, int, size_t);

/// Until the constructor has run, the slow way: the loader itself copies.
__attribute__((constructor)) static void find_real_functions(void) {
  real_memcpy = dlsym(RTLD_NEXT, "memcpy");
  real_memmove = dlsym(RTLD_NEXT, "memmove");
  real_memset = dlsym(RTLD_NEXT, "memset");
  real_memchr = dlsym(RTLD_NEXT, "memchr");
}

void *memmove(void *target, const void *source, size_t size) {
  took_bytes(size);
  if (real_memmove) return real_memmove(target, source, size);
  char *to = target;
  const char *from = source;
  if (to < from) {
    for (size_t index = 0; index < size; index++) to[index] = from[index];
  } else {
    for (size_t index = size; index > 0; index--) to[index - 1] = from[index - 1];
  }
  return target;
}

void *memcpy(void *restrict target, const void *restrict source, size_t size) {
  if (!real_memcpy) return memmove(target, source, size);
  took_bytes(size);
  return real_memcpy(target, source, size);
}

void *memset(void *target, int value, size_t size) {
  took_bytes(size);
  if (real_memset) return real_memset(target, value, size);
  for (size_t index = 0; index < size; index++) ((char *)target)[index] = (char)value;
  return target;
}

/// By hand: only so the place of the first difference is known.
int memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left, *b = right;
  size_t index = 0;
  while (index < size && a[index] == b[index]) index++;
  took_bytes(index);
  return index < size ? a[index] - b[index] : 0;
}

int bcmp(const void *left, const void *right, size_t size) { return memcmp(left, right, size); }

void *memchr(const void *memory, int value, size_t size) {
  const unsigned char *start = memory;
  void *found = NULL;
  if (real_memchr) {
    found = real_memchr(memory, value, size);
  } else {
    for (size_t index = 0; index < size && !found; index++) {
      if (start[index] == (unsigned char)value) found = (void *)(start + index);
    }
  }
  took_bytes(found ? (size_t)((unsigned char *)found - start) : size);
  return found;
}

// MARK: Control

void price_begin(uint64_t new_limit) {
  steps = 0;
  bytes = 0;
  peak = live;
  limit = new_limit;
}

struct price_count price_end(void) {
  limit = UINT64_MAX;
  struct price_count count = {steps, bytes, live, peak};
  return count;
}

void price_examine(uint64_t number) { examined = number; }

static void trapped(int signal) { report("trap, signal", signal); }

void price_watch(const char *new_find) {
  // A stack of its own: what recurses without end has used up the other.
  static char stack[1 << 16];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  find = new_find;
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct sigaction action = {.sa_handler = trapped, .sa_flags = SA_ONSTACK};
  const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) sigaction(signals[index], &action, NULL);
}
