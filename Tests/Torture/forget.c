// A disk that forgets what was not flushed, for one directory: preloaded into a program (LD_PRELOAD), it keeps what is
// needed to undo every change under FORGET_ROOT that was not followed by fsync or fdatasync. disk.py undoes it after a kill.
//
// In FORGET_JOURNAL, which must be on the same file system and outside of the root:
//   <inode>.<n>   what was under the writes to a file since its last flush: records of `struct record` and bytes
//   ops           one line for each change of a directory, and for each flush of one
//   saved/<n>     a hard link to a file that was unlinked or replaced
//
// Writes through memory mappings are not seen: SQLite makes them to its -shm file only, which is rebuilt after a crash.
// Nor are those of stdio, which does not call write by its name. A file is written by one process at a time.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BLOCK = 4096, MAX_FD = 65536, FILES = 64, LONG_PATH = PATH_MAX + 64 };

// The bytes at `offset`, within one block, before a write; `size` is the file's length before it.
struct record {
  uint64_t offset;
  uint64_t size;
  uint32_t count;
  uint32_t zero;
};

// What a descriptor is: not known yet, none of ours, or a file or directory under the root.
enum kind { UNKNOWN, FOREIGN, OURS };
struct descriptor {
  enum kind kind;
  dev_t device;
  ino_t inode;
};

static struct descriptor descriptors[MAX_FD];
static struct {
  ino_t inode;
  int journal;
} files[FILES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX], journal[PATH_MAX];
static size_t root_length;
static int ops = -1;
static atomic_ulong serial;

#define REAL(name) ((typeof(&name))real_##name)
#define DECLARE(name) static void *real_##name
DECLARE(open); DECLARE(openat); DECLARE(creat); DECLARE(close); DECLARE(write); DECLARE(pwrite); DECLARE(writev);
DECLARE(pwritev); DECLARE(ftruncate); DECLARE(truncate); DECLARE(fallocate); DECLARE(posix_fallocate); DECLARE(fsync);
DECLARE(fdatasync); DECLARE(rename); DECLARE(renameat); DECLARE(renameat2); DECLARE(unlink); DECLARE(unlinkat);
DECLARE(link); DECLARE(linkat); DECLARE(mkdir); DECLARE(mkdirat); DECLARE(rmdir); DECLARE(remove); DECLARE(dup2);
DECLARE(dup3); DECLARE(mkstemp); DECLARE(mkostemp); DECLARE(copy_file_range); DECLARE(sendfile);

ssize_t sendfile(int, int, off_t *, size_t);

static void complain(const char *what) {
  dprintf(2, "forget: %s: %s\n", what, strerror(errno));
  abort();
}

__attribute__((constructor)) static void begin(void) {
#define FIND(name) real_##name = dlsym(RTLD_NEXT, #name)
  FIND(open); FIND(openat); FIND(creat); FIND(close); FIND(write); FIND(pwrite); FIND(writev); FIND(pwritev);
  FIND(ftruncate); FIND(truncate); FIND(fallocate); FIND(posix_fallocate); FIND(fsync); FIND(fdatasync); FIND(rename);
  FIND(renameat); FIND(renameat2); FIND(unlink); FIND(unlinkat); FIND(link); FIND(linkat); FIND(mkdir); FIND(mkdirat);
  FIND(rmdir); FIND(remove); FIND(dup2); FIND(dup3); FIND(mkstemp); FIND(mkostemp); FIND(copy_file_range);
  FIND(sendfile);
  const char *where = getenv("FORGET_ROOT"), *notes = getenv("FORGET_JOURNAL");
  if (!where || !notes || !realpath(where, root) || !realpath(notes, journal)) return;
  root_length = strlen(root);
  // Names of one process must not meet those of another, or of one before it.
  serial = (unsigned long)getpid() << 32;
  char path[LONG_PATH];
  snprintf(path, sizeof path, "%s/ops", journal);
  ops = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (ops < 0) complain(path);
}

static int is_on(void) { return ops >= 0; }

static int is_under_root(const char *path) {
  return !strncmp(path, root, root_length) && (path[root_length] == '/' || !path[root_length]);
}

// Writes the absolute path of `path` with its directory resolved. False if it is none of ours.
static int resolve(int directory, const char *path, char *result) {
  if (!is_on()) return 0;
  char copy[PATH_MAX], parent[PATH_MAX], name[NAME_MAX + 1];
  if (path[0] == '/' || directory == AT_FDCWD) {
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) return 0;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, parent, sizeof parent - 1);
    if (length < 0) return 0;
    parent[length] = 0;
    if (snprintf(copy, sizeof copy, "%s/%s", parent, path) >= (int)sizeof copy) return 0;
  }
  size_t length = strlen(copy);
  while (length > 1 && copy[length - 1] == '/') copy[--length] = 0;
  char *slash = strrchr(copy, '/');
  snprintf(name, sizeof name, "%s", slash ? slash + 1 : copy);
  if (slash) *slash = 0;
  if (!realpath(slash ? (slash == copy ? "/" : copy) : ".", parent)) return 0;
  if (snprintf(result, PATH_MAX, "%s/%s", parent, name) >= PATH_MAX) return 0;
  return is_under_root(result);
}

static ino_t directory_of(const char *path) {
  char parent[PATH_MAX];
  snprintf(parent, sizeof parent, "%s", path);
  *strrchr(parent, '/') = 0;
  struct stat status;
  return stat(parent, &status) ? 0 : status.st_ino;
}

// One line, written at once, so that lines of several processes do not mix.
static void note(const char *format, ...) {
  char line[4 * LONG_PATH];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= (int)sizeof line || REAL(write)(ops, line, length) != length) complain("ops");
}

// A hard link to what is at `path`, by which it can come back. Empty if nothing is there.
static void save(const char *path, char *saved) {
  snprintf(saved, LONG_PATH, "%s/saved/%lu", journal, atomic_fetch_add(&serial, 1));
  if (!REAL(link)(path, saved)) return;
  if (errno != ENOENT) complain(path);
  saved[0] = 0;
}

static int is_wanted(const char *path) {
  size_t length = strlen(path);
  return is_under_root(path) && !(length > 4 && !strcmp(path + length - 4, "-shm"));
}

// Whether a descriptor is a file or directory under the root. Numbers may have been given anew without our notice, so what
// is known is compared with what is there.
static struct descriptor *ours(int fd) {
  if (!is_on() || fd < 0 || fd >= MAX_FD) return NULL;
  struct descriptor *known = &descriptors[fd];
  if (known->kind == FOREIGN) return NULL;
  struct stat status;
  if (fstat(fd, &status)) return NULL;
  if (known->kind == OURS && known->device == status.st_dev && known->inode == status.st_ino) return known;
  known->kind = FOREIGN;
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return NULL;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  if (!is_wanted(path)) return NULL;
  *known = (struct descriptor){OURS, status.st_dev, status.st_ino};
  return known;
}

static void forget_descriptor(int fd) {
  if (fd >= 0 && fd < MAX_FD) descriptors[fd].kind = UNKNOWN;
}

// The journal of a file, made when there is none. The mutex is held.
static int journal_of(ino_t inode) {
  int slot = inode % FILES;
  if (files[slot].journal > 0 && files[slot].inode == inode) return files[slot].journal;
  if (files[slot].journal > 0) REAL(close)(files[slot].journal);
  char path[LONG_PATH];
  // Numbers rise, so the records of a file are in the order of names and, within one, of time.
  snprintf(path, sizeof path, "%s/%lu.%020lu", journal, (unsigned long)inode, atomic_fetch_add(&serial, 1));
  files[slot].inode = inode;
  files[slot].journal = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (files[slot].journal < 0) complain(path);
  return files[slot].journal;
}

// Keeps what a change of `count` bytes at `offset` replaces. The mutex is held.
static void keep(int fd, const struct descriptor *file, uint64_t offset, uint64_t count) {
  int to = journal_of(file->inode);
  struct stat status;
  if (fstat(fd, &status)) complain("fstat");
  char link[64];
  int reader = -1;
  uint64_t size = status.st_size;
  if (!count) {
    struct record record = {offset, size, 0, 0};
    if (REAL(write)(to, &record, sizeof record) != sizeof record) complain("journal");
    return;
  }
  while (count) {
    uint64_t part = BLOCK - offset % BLOCK;
    if (part > count) part = count;
    char old[BLOCK];
    uint64_t length = offset >= size ? 0 : size - offset < part ? size - offset : part;
    if (length) {
      if (reader < 0) {
        // The program's own descriptor may be for writing only.
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        reader = REAL(open)(link, O_RDONLY | O_CLOEXEC);
        if (reader < 0) complain(link);
      }
      if (pread(reader, old, length, offset) != (ssize_t)length) complain("pread");
    }
    struct record record = {offset, size, length, 0};
    struct iovec parts[] = {{&record, sizeof record}, {old, length}};
    if (REAL(writev)(to, parts, 2) != (ssize_t)(sizeof record + length)) complain("journal");
    offset += part;
    count -= part;
  }
  if (reader >= 0) REAL(close)(reader);
}

static uint64_t end_of_write(int fd) {
  struct stat status;
  if (fcntl(fd, F_GETFL) & O_APPEND) return fstat(fd, &status) ? 0 : (uint64_t)status.st_size;
  off_t offset = lseek(fd, 0, SEEK_CUR);
  return offset < 0 ? 0 : (uint64_t)offset;
}

#define CHANGE(fd, offset, count, call)                      \
  do {                                                       \
    struct descriptor *file = ours(fd);                      \
    if (!file) return call;                                  \
    pthread_mutex_lock(&mutex);                              \
    keep(fd, file, offset, count);                           \
    typeof(call) result = call;                              \
    int code = errno;                                        \
    pthread_mutex_unlock(&mutex);                            \
    errno = code;                                            \
    return result;                                           \
  } while (0)

static uint64_t total(const struct iovec *parts, int count) {
  uint64_t sum = 0;
  for (int index = 0; index < count; index++) sum += parts[index].iov_len;
  return sum;
}

ssize_t write(int fd, const void *bytes, size_t count) {
  CHANGE(fd, end_of_write(fd), count, REAL(write)(fd, bytes, count));
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  CHANGE(fd, offset, count, REAL(pwrite)(fd, bytes, count, offset));
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) { return pwrite(fd, bytes, count, offset); }
ssize_t writev(int fd, const struct iovec *parts, int count) {
  CHANGE(fd, end_of_write(fd), total(parts, count), REAL(writev)(fd, parts, count));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  CHANGE(fd, offset, total(parts, count), REAL(pwritev)(fd, parts, count, offset));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(fd, parts, count, offset);
}

static uint64_t size_of(int fd) {
  struct stat status;
  return fstat(fd, &status) ? 0 : (uint64_t)status.st_size;
}
static uint64_t beyond(int fd, off_t length) {
  uint64_t size = size_of(fd);
  return size > (uint64_t)length ? size - length : 0;
}
int ftruncate(int fd, off_t length) { CHANGE(fd, length, beyond(fd, length), REAL(ftruncate)(fd, length)); }
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }
int fallocate(int fd, int mode, off_t offset, off_t count) {
  CHANGE(fd, offset, mode ? count : 0, REAL(fallocate)(fd, mode, offset, count));
}
int fallocate64(int fd, int mode, off64_t offset, off64_t count) { return fallocate(fd, mode, offset, count); }
int posix_fallocate(int fd, off_t offset, off_t count) {
  CHANGE(fd, offset, 0, REAL(posix_fallocate)(fd, offset, count));
}
int posix_fallocate64(int fd, off64_t offset, off64_t count) { return posix_fallocate(fd, offset, count); }

// Programs fall back to write where these say that they cannot.
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t count, unsigned flags) {
  if (!ours(out)) return REAL(copy_file_range)(in, from, out, to, count, flags);
  errno = EXDEV;
  return -1;
}
ssize_t sendfile(int out, int in, off_t *offset, size_t count) {
  if (!ours(out)) return REAL(sendfile)(out, in, offset, count);
  errno = EINVAL;
  return -1;
}
ssize_t sendfile64(int out, int in, off64_t *offset, size_t count) { return sendfile(out, in, offset, count); }

// Removes the journals of a file that were begun before `before`.
static void drop(ino_t inode, unsigned long before) {
  DIR *directory = opendir(journal);
  if (!directory) complain(journal);
  struct dirent *entry;
  while ((entry = readdir(directory))) {
    char *dot = strchr(entry->d_name, '.');
    if (!dot || dot == entry->d_name || strtoul(entry->d_name, NULL, 10) != inode) continue;
    unsigned long number = strtoul(dot + 1, NULL, 10);
    // Those of processes before this one are flushed as well: a flush takes all of the file.
    if (number >> 32 == before >> 32 && number >= before) continue;
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/%s", journal, entry->d_name);
    REAL(unlink)(path);
  }
  closedir(directory);
}

static int flush(int fd, int (*call)(int)) {
  struct descriptor *file = ours(fd);
  if (!file) return call(fd);
  ino_t inode = file->inode;
  struct stat status;
  int is_directory = !fstat(fd, &status) && S_ISDIR(status.st_mode);
  pthread_mutex_lock(&mutex);
  // What is written from here on is not flushed by this call: it goes to a journal of its own.
  int slot = inode % FILES;
  if (files[slot].journal > 0 && files[slot].inode == inode) {
    REAL(close)(files[slot].journal);
    files[slot].journal = 0;
  }
  unsigned long before = atomic_fetch_add(&serial, 1);
  pthread_mutex_unlock(&mutex);
  if (is_directory) note("begin\t%lu\t%lu\n", (unsigned long)inode, before);
  int result = call(fd), code = errno;
  if (!result) {
    if (is_directory) note("flush\t%lu\t%lu\n", (unsigned long)inode, before);
    else drop(inode, before);
  }
  errno = code;
  return result;
}
int fsync(int fd) { return flush(fd, REAL(fsync)); }
int fdatasync(int fd) { return flush(fd, REAL(fdatasync)); }

// After an open that may have made the file or cut it to nothing.
static int opened(int fd, const char *path, int existed, int flags) {
  forget_descriptor(fd);
  if (fd < 0 || existed || !(flags & O_CREAT)) return fd;
  struct stat status;
  if (!fstat(fd, &status) && S_ISREG(status.st_mode)) {
    // The inode's number may have been another file's.
    drop(status.st_ino, ULONG_MAX);
    note("create\t%lu\t%s\n", (unsigned long)directory_of(path), path);
  }
  return fd;
}

static int open_in(int directory, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX];
  if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_TMPFILE) == O_TMPFILE || !resolve(directory, path, full) ||
      !is_wanted(full)) {
    int fd = REAL(openat)(directory, path, flags, mode);
    forget_descriptor(fd);
    return fd;
  }
  pthread_mutex_lock(&mutex);
  struct stat status;
  int existed = !lstat(full, &status);
  int fd = REAL(openat)(directory, path, existed ? flags & ~O_TRUNC : flags, mode), code = errno;
  opened(fd, full, existed, flags);
  pthread_mutex_unlock(&mutex);
  if (fd >= 0 && existed && flags & O_TRUNC && ftruncate(fd, 0)) {
    code = errno;
    close(fd);
    fd = -1;
  }
  errno = code;
  return fd;
}

#define MODE(flags)                                              \
  mode_t mode = 0;                                               \
  if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list arguments;                                           \
    va_start(arguments, flags);                                  \
    mode = va_arg(arguments, mode_t);                            \
    va_end(arguments);                                           \
  }
int open(const char *path, int flags, ...) {
  MODE(flags);
  return open_in(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags);
  return open_in(AT_FDCWD, path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
  MODE(flags);
  return open_in(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
  MODE(flags);
  return open_in(directory, path, flags, mode);
}
int creat(const char *path, mode_t mode) { return open_in(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int mkostemp(char *pattern, int flags) {
  int fd = REAL(mkostemp)(pattern, flags);
  char full[PATH_MAX];
  if (fd < 0 || !resolve(AT_FDCWD, pattern, full)) {
    forget_descriptor(fd);
    return fd;
  }
  pthread_mutex_lock(&mutex);
  opened(fd, full, 0, O_CREAT);
  pthread_mutex_unlock(&mutex);
  return fd;
}
int mkstemp(char *pattern) { return mkostemp(pattern, 0); }
int mkstemp64(char *pattern) { return mkostemp(pattern, 0); }
int mkostemp64(char *pattern, int flags) { return mkostemp(pattern, flags); }

int close(int fd) {
  forget_descriptor(fd);
  return REAL(close)(fd);
}
int dup2(int from, int to) {
  forget_descriptor(to);
  return REAL(dup2)(from, to);
}
int dup3(int from, int to, int flags) {
  forget_descriptor(to);
  return REAL(dup3)(from, to, flags);
}

int truncate(const char *path, off_t length) {
  char full[PATH_MAX];
  if (!resolve(AT_FDCWD, path, full)) return REAL(truncate)(path, length);
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = ftruncate(fd, length), code = errno;
  close(fd);
  errno = code;
  return result;
}
int truncate64(const char *path, off64_t length) { return truncate(path, length); }

static int rename_in(int from, const char *old, int to, const char *new, unsigned flags) {
  char source[PATH_MAX], target[PATH_MAX], saved[LONG_PATH] = "";
  int is_source = resolve(from, old, source), is_target = resolve(to, new, target);
  if (!is_source || !is_target) {
    if (is_on() && is_source != is_target) complain("a rename out of the root, or into it");
    return flags ? REAL(renameat2)(from, old, to, new, flags) : REAL(renameat)(from, old, to, new);
  }
  pthread_mutex_lock(&mutex);
  if (!(flags & RENAME_NOREPLACE)) save(target, saved);
  int result = flags ? REAL(renameat2)(from, old, to, new, flags) : REAL(renameat)(from, old, to, new), code = errno;
  // By the flush of either directory it is on disk: file systems keep the two halves together.
  if (!result)
    note("rename\t%lu\t%lu\t%s\t%s\t%s\n", (unsigned long)directory_of(target), (unsigned long)directory_of(source), source,
         target, saved);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}
int rename(const char *old, const char *new) { return rename_in(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return rename_in(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  return rename_in(from, old, to, new, flags);
}

static int unlink_in(int directory, const char *path, int flags) {
  char full[PATH_MAX], saved[LONG_PATH] = "";
  if (!resolve(directory, path, full) || !is_wanted(full) || flags & AT_REMOVEDIR)
    return REAL(unlinkat)(directory, path, flags);
  pthread_mutex_lock(&mutex);
  save(full, saved);
  int result = REAL(unlinkat)(directory, path, flags), code = errno;
  if (!result) note("unlink\t%lu\t%s\t%s\n", (unsigned long)directory_of(full), full, saved);
  pthread_mutex_unlock(&mutex);
  errno = code;
  return result;
}
int unlink(const char *path) { return unlink_in(AT_FDCWD, path, 0); }
int unlinkat(int directory, const char *path, int flags) { return unlink_in(directory, path, flags); }
int rmdir(const char *path) { return unlink_in(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat status;
  return !lstat(path, &status) && S_ISDIR(status.st_mode) ? rmdir(path) : unlink(path);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  char full[PATH_MAX];
  int result = REAL(linkat)(from, old, to, new, flags), code = errno;
  if (!result && resolve(to, new, full)) note("create\t%lu\t%s\n", (unsigned long)directory_of(full), full);
  errno = code;
  return result;
}
int link(const char *old, const char *new) { return linkat(AT_FDCWD, old, AT_FDCWD, new, 0); }

int mkdirat(int directory, const char *path, mode_t mode) {
  char full[PATH_MAX];
  int result = REAL(mkdirat)(directory, path, mode), code = errno;
  if (!result && resolve(directory, path, full)) note("mkdir\t%lu\t%s\n", (unsigned long)directory_of(full), full);
  errno = code;
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
