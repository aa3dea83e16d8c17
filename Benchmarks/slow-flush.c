// Makes every flush to disk take SLOW_FLUSH_US microseconds longer. Preloaded into a program, it simulates a disk that is slower than this
// machine's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_longer(void) {
  const char *microseconds = getenv("SLOW_FLUSH_US");
  if (microseconds) usleep((useconds_t)atoi(microseconds));
}

int fsync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  wait_longer();
  return next(file);
}

int fdatasync(int file) {
  int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  wait_longer();
  return next(file);
}
