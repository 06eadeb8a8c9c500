/* Times in microseconds, counted in buckets that are exact up to 2,047 and then at most 0.1 % wide. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

#define STEPS_BITS 10
#define STEPS (1 << STEPS_BITS)
#define BUCKETS (STEPS * 40)

struct histogram {
  uint64_t counts[BUCKETS];
  uint64_t count;
  double sum;
  int64_t max;
};

static inline int bucket_of(int64_t us) {
  if (us < 2 * STEPS) return us < 0 ? 0 : (int)us;
  int shift = 63 - __builtin_clzll((uint64_t)us) - STEPS_BITS; /* so that us >> shift is from STEPS to 2 STEPS - 1 */
  int bucket = (shift + 1) * STEPS + (int)(us >> shift) - STEPS;
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The middle of a bucket. */
static inline int64_t value_of(int bucket) {
  if (bucket < 2 * STEPS) return bucket;
  int shift = bucket / STEPS - 1;
  return ((int64_t)(bucket % STEPS + STEPS) << shift) + ((int64_t)1 << shift) / 2;
}

static inline void histogram_add(struct histogram *h, int64_t us) {
  h->counts[bucket_of(us)]++;
  h->count++;
  h->sum += (double)us;
  if (us > h->max) h->max = us;
}

static inline int64_t histogram_at(const struct histogram *h, double share) {
  uint64_t wanted = (uint64_t)((double)h->count * share);
  uint64_t seen = 0;
  for (int i = 0; i < BUCKETS; i++) {
    seen += h->counts[i];
    if (seen > wanted) return value_of(i) < h->max ? value_of(i) : h->max;
  }
  return h->max;
}

static inline void histogram_print(const char *name, const struct histogram *h) {
  printf("\"%s\":{\"count\":%llu,\"mean\":%.1f,\"p50\":%lld,\"p90\":%lld,\"p99\":%lld,\"max\":%lld}", name, (unsigned long long)h->count,
         h->count == 0 ? 0.0 : h->sum / (double)h->count, (long long)histogram_at(h, 0.5), (long long)histogram_at(h, 0.9),
         (long long)histogram_at(h, 0.99), (long long)h->max);
}

#endif
