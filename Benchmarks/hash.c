// The reference for sign-ins: as many password hashes as there are sign-ins, without any other work.
// Usage: hash COUNT THREADS KIB PASSES. Prints one JSON object.
#include <argon2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int count, threads;
static unsigned memory, passes;

static void *hash(void *first) {
  const char password[] = "Passw0rd!", salt[16] = "0123456789abcde";
  for (int i = (int)(long)first; i < count; i += threads) {
    char key[32];
    if (argon2id_hash_raw(passes, memory, 1, password, sizeof password - 1, salt, sizeof salt, key, sizeof key) != ARGON2_OK) exit(1);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 5 || (threads = atoi(argv[2])) < 1 || threads > 64) {
    fprintf(stderr, "usage: hash COUNT THREADS KIB PASSES\n");
    return 64;
  }
  count = atoi(argv[1]), memory = atoi(argv[3]), passes = atoi(argv[4]);
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  pthread_t running[64];
  for (long i = 0; i < threads; i++)
    if (pthread_create(&running[i], NULL, hash, (void *)i)) return 1;
  for (int i = 0; i < threads; i++) pthread_join(running[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("{\"hashes\":%d,\"seconds\":%.3f}\n", count, end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9);
  return 0;
}
