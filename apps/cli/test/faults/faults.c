/* For LD_PRELOAD: counts the calls that change files below FAULTS_PATH, and ends the process before the n-th (FAULTS_AT),
   or makes it and all later ones fail as on a full disk (FAULTS_FULL=1). FAULTS_LOG gets a line for each call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int calls;

/* Whether the call has to fail: on a full disk, one that needs space. */
static int fails(const char *call, const char *path, int needs_space) {
  const char *below = getenv("FAULTS_PATH"), *at = getenv("FAULTS_AT"), *log = getenv("FAULTS_LOG");
  if (!below || !at || strncmp(path, below, strlen(below)) != 0) return 0;
  int n = atomic_fetch_add(&calls, 1) + 1, fd = log ? open(log, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
  if (fd >= 0) {
    dprintf(fd, "%d %d %s %s\n", getpid(), n, call, path);
    close(fd);
  }
  if (getenv("FAULTS_FULL")) {
    errno = ENOSPC;
    return n >= atoi(at) && needs_space;
  }
  if (n == atoi(at)) kill(getpid(), SIGKILL);
  return 0;
}

static int fails_on(const char *call, int fd, int needs_space) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(call, path, needs_space);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WITH_FD(type, name, call, needs_space, parameters, ...) \
  type name parameters {                                     \
    static __typeof__(&name) real;                           \
    if (!real) real = REAL(name);                            \
    return fails_on(call, fd, needs_space) ? -1 : real(__VA_ARGS__);      \
  }
#define WITH_PATH(name, needs_space, parameters, ...)              \
  int name parameters {                                      \
    static __typeof__(&name) real;                           \
    if (!real) real = REAL(name);                            \
    return fails(#name, path, needs_space) ? -1 : real(__VA_ARGS__); \
  }

WITH_FD(ssize_t, write, "write", 1, (int fd, const void *data, size_t size), fd, data, size)
WITH_FD(ssize_t, writev, "write", 1, (int fd, const struct iovec *parts, int count), fd, parts, count)
WITH_FD(ssize_t, pwrite, "write", 1, (int fd, const void *data, size_t size, off_t at), fd, data, size, at)
WITH_FD(ssize_t, pwrite64, "write", 1, (int fd, const void *data, size_t size, off64_t at), fd, data, size, at)
WITH_FD(ssize_t, pwritev, "write", 1, (int fd, const struct iovec *parts, int count, off_t at), fd, parts, count, at)
WITH_FD(ssize_t, pwritev64, "write", 1, (int fd, const struct iovec *parts, int count, off64_t at), fd, parts, count, at)
WITH_FD(int, fsync, "fsync", 0, (int fd), fd)
WITH_FD(int, fdatasync, "fsync", 0, (int fd), fd)
WITH_FD(int, ftruncate, "truncate", 0, (int fd, off_t size), fd, size)
WITH_FD(int, ftruncate64, "truncate", 0, (int fd, off64_t size), fd, size)
WITH_PATH(mkdir, 1, (const char *path, mode_t mode), path, mode)
WITH_PATH(rename, 1, (const char *from, const char *path), from, path)
WITH_PATH(link, 1, (const char *from, const char *path), from, path)
WITH_PATH(unlink, 0, (const char *path), path)
WITH_PATH(rmdir, 0, (const char *path), path)
