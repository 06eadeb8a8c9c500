/* The monotonic clock in microseconds, and limits and endings that both programs share. */
#ifndef CLOCK_H
#define CLOCK_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static inline int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* As many open files as the system allows, no death by a peer that goes away, and never outliving the program that started us. */
static inline void settle_in(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static inline void give_up(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(2);
}

#endif
