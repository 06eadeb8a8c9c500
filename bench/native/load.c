/* Sends HTTP requests to one address, closed loop or at a fixed rate, and prints one line of JSON: what came back, and how fast. See usage(). */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "histogram.h"
#include "message-reader.h"

#define TAIL 64
#define OPENING_AT_ONCE 64
#define LINES_LIMIT 100000
#define EVENTS 256
#define CONNECT_ERRORS_LIMIT 1000
#define MARK "################" /* in a body: replaced by the number of the request, so that no two bodies are the same */
#define MARK_SIZE 16

static void usage(void) {
  fprintf(stderr,
          "usage: load --port PORT --body FILE [options]\n"
          "  --host ADDRESS      IPv4, 127.0.0.1 unless told\n"
          "  --path PATH         /v1/chat/completions unless told\n"
          "  --method METHOD     POST unless told\n"
          "  --header 'a: b'     sent with every request; may be repeated\n"
          "  --keys FILE         one API key a line, used in turn as `authorization: Bearer KEY`\n"
          "  --connections C     closed loop with C connections; with --rate the most that are opened\n"
          "  --again 1           a refusal (503, 529) is answered by the next request at once, on the same connection; with --rate, what is due while all\n"
          "                      connections ask is not asked at all\n"
          "  --rate R            open loop: R requests a second, latencies from the moment when each was due\n"
          "  --spread 1          with --rate: opens all C connections, and asks on each in turn, as so many callers do\n"
          "  --seconds S | --requests N    how long\n"
          "  --warm-up S         seconds before, whose requests count in `statuses` and nowhere else\n"
          "  --drain S           how long to wait at the end for what still runs, 30 unless told\n"
          "  --timeout S         of one request, 60 unless told\n"
          "  --expect TEXT       an answer 200 that does not have it in its last 64 bytes counts as cut\n"
          "  --hold K            open K streams, say {\"open\":K} when each has its first byte, and hold them to their end or to that of standard input\n");
  exit(2);
}

static struct {
  const char *host, *path, *method, *body, *keys, *expect;
  int port, connections, hold, again, spread;
  double rate, seconds, warm_up, drain, timeout;
  long requests;
  char headers[4096];
} options = {.host = "127.0.0.1", .path = "/v1/chat/completions", .method = "POST", .connections = 1, .drain = 30, .timeout = 60};

enum state { CONNECTING, IDLE, BUSY };

struct conn {
  int fd;
  enum state state;
  bool has_request, counted, opened, first_seen;
  size_t sent, total;
  int64_t due_us, begun_us, first_us;
  const char *request_head;
  size_t request_head_size;
  char number[MARK_SIZE + 1];
  uint64_t events, bytes;
  char last;
  char tail[TAIL];
  size_t tail_size;
  struct conn *before, *after; /* in the list of its state */
  struct message message;      /* last: its head is big and mostly untouched */
};

struct list {
  struct conn *first, *last;
  int size;
};

static struct list idle, busy, connecting;
static int poller, timer = -1;
static char *body;
static size_t body_size, mark_at; /* mark_at is body_size where there is no mark */
static char **heads;
static size_t *head_sizes;
static int head_count;
static uint64_t numbered;

static int64_t start_us, window_us, end_us, timer_us;
static long due_count, counted_begun, counted_done, opened, open_failed, hold_left;
static uint64_t done_in_window;
static int64_t last_done_us;
static bool held_said;

static uint64_t statuses[1000];
static uint64_t connect_errors, resets, timeouts, malformed, cuts, unfinished, retry_afters;
static uint64_t chunks, events, bytes;
static struct histogram latency, first_byte, refused;

static void list_add(struct list *list, struct conn *c) {
  c->before = list->last;
  c->after = NULL;
  if (list->last != NULL) list->last->after = c;
  else list->first = c;
  list->last = c;
  list->size++;
}

static void list_remove(struct list *list, struct conn *c) {
  if (c->before != NULL) c->before->after = c->after;
  else list->first = c->after;
  if (c->after != NULL) c->after->before = c->before;
  else list->last = c->before;
  list->size--;
}

static struct list *list_of(struct conn *c) { return c->state == IDLE ? &idle : c->state == BUSY ? &busy : &connecting; }

static void move_to(struct conn *c, enum state state) {
  list_remove(list_of(c), c);
  c->state = state;
  list_add(list_of(c), c);
}

static void drop(struct conn *c) {
  list_remove(list_of(c), c);
  close(c->fd);
  free(c);
}

static struct conn *open_connection(void) {
  struct conn *c = calloc(1, sizeof *c);
  if (c == NULL) give_up("out of memory");
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (c->fd < 0) give_up("no more sockets: raise the limit of open files (ulimit -n)");
  int one = 1;
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
  if (inet_pton(AF_INET, options.host, &address.sin_addr) != 1) give_up("--host: an IPv4 address is expected");
  c->state = CONNECTING;
  list_add(&connecting, c);
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) {
    connect_errors++;
    drop(c);
    return NULL;
  }
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
  epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event);
  return c;
}

/* Gives the connection its next request; it is sent when the connection is there. */
static void give_request(struct conn *c, int64_t due_us) {
  c->has_request = true;
  c->due_us = due_us;
  c->counted = due_us >= window_us && due_us < end_us;
  if (c->counted) counted_begun++;
  uint64_t number = numbered++;
  c->request_head = heads[number % (uint64_t)head_count];
  c->request_head_size = head_sizes[number % (uint64_t)head_count];
  if (mark_at < body_size) snprintf(c->number, sizeof c->number, "%016llx", (unsigned long long)number);
  c->sent = 0;
  c->total = c->request_head_size + body_size;
  c->first_seen = c->opened = false;
  c->events = c->bytes = 0;
  c->last = 0;
  c->tail_size = 0;
  message_begin(&c->message);
}

/* False when the connection is broken. */
static bool send_more(struct conn *c) {
  size_t mark = mark_at < body_size ? MARK_SIZE : 0;
  struct iovec parts[4] = {
      {(void *)c->request_head, c->request_head_size}, {body, mark_at}, {c->number, mark}, {body + mark_at + mark, body_size - mark_at - mark}};
  while (c->sent < c->total) {
    struct iovec rest[4];
    int count = 0;
    size_t skip = c->sent;
    for (int i = 0; i < 4; i++) {
      size_t size = parts[i].iov_len;
      size_t gone = skip < size ? skip : size;
      skip -= gone;
      if (gone < size) rest[count++] = (struct iovec){(char *)parts[i].iov_base + gone, size - gone};
    }
    ssize_t wrote = writev(c->fd, rest, count);
    if (wrote < 0) return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)wrote;
  }
  return true;
}

static void begin(struct conn *c) {
  move_to(c, BUSY);
  c->has_request = false;
  c->begun_us = now_us();
}

static void read_body(void *owner, const char *data, size_t size) {
  struct conn *c = owner;
  if (!c->first_seen && size > 0) {
    c->first_seen = true;
    c->first_us = now_us();
  }
  c->bytes += size;
  const char *end = data + size;
  for (const char *at = data; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
    if ((at > data ? at[-1] : c->last) == '\n') c->events++;
  if (size > 0) c->last = end[-1];
  if (size >= TAIL) {
    memcpy(c->tail, end - TAIL, TAIL);
    c->tail_size = TAIL;
  } else {
    size_t kept = c->tail_size + size > TAIL ? TAIL - size : c->tail_size;
    memmove(c->tail, c->tail + c->tail_size - kept, kept);
    memcpy(c->tail + kept, data, size);
    c->tail_size = kept + size;
  }
}

static bool as_expected(struct conn *c) {
  return options.expect == NULL || memmem(c->tail, c->tail_size, options.expect, strlen(options.expect)) != NULL;
}

static bool sending_time(int64_t now) {
  if (options.hold > 0) return false;
  if (options.requests > 0 && counted_begun >= options.requests) return false;
  return now < end_us;
}

static void start_now(struct conn *c, int64_t due_us);

static void one_held_less(struct conn *c) {
  if (options.hold == 0) return;
  hold_left--;
  if (!c->opened) open_failed++;
}

/* The request of this connection has failed, and with it the connection. */
static void fail(struct conn *c, uint64_t *counter) {
  (*counter)++;
  if (c->message.head_done) statuses[c->message.status]++;
  one_held_less(c);
  drop(c);
}

static void finish(struct conn *c) {
  int64_t now = now_us();
  struct message *m = &c->message;
  bool good = m->status >= 200 && m->status < 300;
  statuses[m->status]++;
  if (m->status == 503 && m->retry_after) retry_afters++;
  if (good && !as_expected(c)) {
    cuts++;
    good = false;
  } else if (good && now >= window_us && now < end_us) {
    done_in_window++;
  }
  if (c->counted) {
    counted_done++;
    last_done_us = now;
    if (good) {
      histogram_add(&latency, now - c->due_us);
      if (c->first_seen) histogram_add(&first_byte, c->first_us - c->due_us);
      chunks += m->chunks;
      events += c->events;
      bytes += c->bytes;
    } else if (m->status >= 300) {
      histogram_add(&refused, now - c->due_us);
    }
  }
  one_held_less(c);
  if (m->closes || m->kind == BODY_TO_END || c->sent < c->total) drop(c);
  else {
    move_to(c, IDLE);
    if (options.again && (m->status == 503 || m->status == 529) && sending_time(now)) start_now(c, now);
  }
}

/* `closed`: the other side has closed, and polling will not tell of it a second time. */
static void read_answer(struct conn *c, bool closed) {
  static char buffer[1 << 18];
  for (;;) {
    ssize_t got = read(c->fd, buffer, sizeof buffer);
    if (got < 0) {
      if (errno == EAGAIN || errno == EINTR) return;
      if (c->state == BUSY) fail(c, &resets);
      else drop(c);
      return;
    }
    if (got == 0) {
      if (c->state != BUSY) drop(c); /* kept alive long enough, the server thinks */
      else if (c->message.head_done && c->message.kind == BODY_TO_END) finish(c);
      else fail(c, &resets);
      return;
    }
    if (c->state != BUSY) return drop(c); /* an answer to nothing */
    size_t used;
    enum reading reading = message_feed(&c->message, true, buffer, (size_t)got, &used, read_body, c);
    if (options.hold > 0 && c->first_seen && c->message.status < 300 && !c->opened) {
      c->opened = true;
      opened++;
    }
    if (reading == READ_BROKEN || (reading == READ_DONE && used < (size_t)got)) return fail(c, &malformed);
    if (reading == READ_DONE) return finish(c);
    if ((size_t)got < sizeof buffer && !closed) return; /* drained: edge-triggered polling will tell of more */
  }
}

static void on_event(struct conn *c, uint32_t flags) {
  if (c->state == CONNECTING) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      connect_errors++;
      one_held_less(c);
      drop(c);
      return;
    }
    if (!(flags & EPOLLOUT)) return;
    if (c->has_request) begin(c);
    else move_to(c, IDLE);
  }
  if (c->state == BUSY && c->sent < c->total && !send_more(c) && !(flags & EPOLLIN)) return fail(c, &resets);
  if (flags & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) read_answer(c, (flags & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
}

static void start_now(struct conn *c, int64_t due_us) {
  give_request(c, due_us);
  begin(c);
  if (!send_more(c)) fail(c, &resets);
}

/* Begins whatever is to begin now. */
static void dispatch(void) {
  int64_t now = now_us();
  if (options.hold > 0) {
    while (numbered < (uint64_t)options.hold && (long)numbered - opened - open_failed < OPENING_AT_ONCE) {
      struct conn *c = open_connection();
      if (c == NULL) {
        numbered++;
        open_failed++;
        hold_left--;
      } else {
        give_request(c, now);
      }
    }
    return;
  }
  if (options.rate <= 0) {
    while (idle.first != NULL && sending_time(now)) start_now(idle.first, now_us());
    while (sending_time(now) && connecting.size + busy.size + idle.size < options.connections)
      if (open_connection() == NULL) break;
    return;
  }
  while (options.spread && sending_time(now) && connecting.size < OPENING_AT_ONCE && connecting.size + busy.size + idle.size < options.connections)
    if (open_connection() == NULL) break;
  for (;;) {
    int64_t due = start_us + (int64_t)((double)due_count * 1e6 / options.rate);
    if (due >= end_us || (options.requests > 0 && counted_begun >= options.requests)) return;
    if (due > now) {
      if (due == timer_us) return;
      struct itimerspec at = {.it_value = {.tv_sec = due / 1000000, .tv_nsec = due % 1000000 * 1000}};
      timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
      timer_us = due;
      return;
    }
    if (idle.first != NULL) {
      start_now(idle.first, due);
    } else {
      bool full = connecting.size + busy.size >= options.connections;
      if (full && !options.again) return; /* it waits for one to come free, and its clock runs */
      struct conn *c = full ? NULL : open_connection();
      if (c != NULL) give_request(c, due);
    }
    due_count++;
  }
}

static void end_overdue(int64_t now) {
  int64_t limit = (int64_t)(options.timeout * 1e6);
  for (struct conn *c = busy.first, *next; c != NULL; c = next) {
    next = c->after;
    if (now - c->begun_us > limit && options.hold == 0) fail(c, &timeouts);
  }
}

static bool finished(int64_t now) {
  if (connect_errors >= CONNECT_ERRORS_LIMIT) return true; /* no server is there */
  if (options.hold > 0) return hold_left == 0;
  if (sending_time(now)) return false;
  if (busy.size == 0) {
    for (struct conn *c = connecting.first; c != NULL; c = c->after)
      if (c->has_request) return false;
    return true;
  }
  return options.requests == 0 && now > end_us + (int64_t)(options.drain * 1e6);
}

static char *read_file(const char *path, size_t *size) {
  int fd = open(path, O_RDONLY);
  struct stat stat;
  if (fd < 0 || fstat(fd, &stat) < 0) give_up("a file cannot be read");
  char *data = malloc((size_t)stat.st_size + 1);
  if (data == NULL) give_up("out of memory");
  *size = 0;
  for (ssize_t got; (got = read(fd, data + *size, (size_t)stat.st_size - *size)) > 0;) *size += (size_t)got;
  data[*size] = 0;
  close(fd);
  return data;
}

static void make_head(const char *key) {
  char *head;
  int size = asprintf(&head, "%s %s HTTP/1.1\r\nhost: %s:%d\r\n%s%s%s%scontent-length: %zu\r\n\r\n", options.method, options.path, options.host,
                      options.port, options.headers, key == NULL ? "" : "authorization: Bearer ", key == NULL ? "" : key, key == NULL ? "" : "\r\n", body_size);
  if (size < 0 || head_count == LINES_LIMIT) give_up("too many keys");
  heads[head_count] = head;
  head_sizes[head_count++] = (size_t)size;
}

static void make_requests(void) {
  body = read_file(options.body, &body_size);
  char *mark = memmem(body, body_size < 65536 ? body_size : 65536, MARK, MARK_SIZE);
  mark_at = mark == NULL ? body_size : (size_t)(mark - body);
  heads = calloc(LINES_LIMIT, sizeof *heads);
  head_sizes = calloc(LINES_LIMIT, sizeof *head_sizes);
  if (options.keys == NULL) return make_head(NULL);
  size_t size;
  char *rest = read_file(options.keys, &size);
  for (char *line; (line = strsep(&rest, "\n")) != NULL;)
    if (*line != 0) make_head(line);
  if (head_count == 0) give_up("--keys: there is no key in the file");
}

static double number_of(const char *text) {
  char *end;
  double value = strtod(text, &end);
  if (*text == 0 || *end != 0 || value < 0) usage();
  return value;
}

static void read_options(int count, char **args) {
  for (int i = 1; i < count; i += 2) {
    const char *name = args[i], *value = i + 1 < count ? args[i + 1] : NULL;
    if (value == NULL) usage();
    else if (strcmp(name, "--host") == 0) options.host = value;
    else if (strcmp(name, "--port") == 0) options.port = (int)number_of(value);
    else if (strcmp(name, "--path") == 0) options.path = value;
    else if (strcmp(name, "--method") == 0) options.method = value;
    else if (strcmp(name, "--body") == 0) options.body = value;
    else if (strcmp(name, "--keys") == 0) options.keys = value;
    else if (strcmp(name, "--expect") == 0) options.expect = value;
    else if (strcmp(name, "--connections") == 0) options.connections = (int)number_of(value);
    else if (strcmp(name, "--rate") == 0) options.rate = number_of(value);
    else if (strcmp(name, "--seconds") == 0) options.seconds = number_of(value);
    else if (strcmp(name, "--requests") == 0) options.requests = (long)number_of(value);
    else if (strcmp(name, "--warm-up") == 0) options.warm_up = number_of(value);
    else if (strcmp(name, "--drain") == 0) options.drain = number_of(value);
    else if (strcmp(name, "--timeout") == 0) options.timeout = number_of(value);
    else if (strcmp(name, "--again") == 0) options.again = (int)number_of(value);
    else if (strcmp(name, "--spread") == 0) options.spread = (int)number_of(value);
    else if (strcmp(name, "--hold") == 0) options.hold = (int)number_of(value);
    else if (strcmp(name, "--header") == 0) {
      size_t used = strlen(options.headers);
      if (used + strlen(value) + 3 > sizeof options.headers) give_up("--header: too many");
      sprintf(options.headers + used, "%s\r\n", value);
    } else usage();
  }
  if (options.port == 0 || options.body == NULL || options.connections < 1) usage();
  if ((options.requests > 0) + (options.seconds > 0) + (options.hold > 0) != 1) usage();
}

static void say_open(void) {
  held_said = true;
  printf("{\"open\":%ld,\"failed\":%ld}\n", opened, open_failed);
  fflush(stdout);
}

static void print_result(int64_t now) {
  int64_t until = options.seconds > 0 && now > end_us ? end_us : last_done_us;
  double seconds = until > window_us ? (double)(until - window_us) / 1e6 : 0;
  struct rusage own;
  getrusage(RUSAGE_SELF, &own);
  int64_t cpu_us = (own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1000000ll + own.ru_utime.tv_usec + own.ru_stime.tv_usec;
  long unsent = 0;
  if (options.rate > 0 && options.seconds > 0) unsent = (long)((options.warm_up + options.seconds) * options.rate) - due_count;
  printf("{\"seconds\":%.6f,\"begun\":%ld,\"done\":%ld,\"unsent\":%ld,\"perSecond\":%.1f,", seconds, counted_begun, counted_done,
         unsent < 0 ? 0 : unsent, seconds > 0 ? (double)done_in_window / seconds : 0);
  printf("\"statuses\":{");
  for (int i = 0, printed = 0; i < 1000; i++)
    if (statuses[i] > 0) printf("%s\"%d\":%llu", printed++ > 0 ? "," : "", i, (unsigned long long)statuses[i]);
  printf("},\"retryAfters\":%llu,", (unsigned long long)retry_afters);
  printf("\"errors\":{\"connect\":%llu,\"reset\":%llu,\"timeout\":%llu,\"malformed\":%llu,\"cut\":%llu,\"unfinished\":%llu},",
         (unsigned long long)connect_errors, (unsigned long long)resets, (unsigned long long)timeouts, (unsigned long long)malformed,
         (unsigned long long)cuts, (unsigned long long)unfinished);
  printf("\"chunks\":%llu,\"events\":%llu,\"bytes\":%llu,\"cpuUs\":%lld,", (unsigned long long)chunks, (unsigned long long)events,
         (unsigned long long)bytes, (long long)cpu_us);
  histogram_print("latencyUs", &latency);
  printf(",");
  histogram_print("firstByteUs", &first_byte);
  printf(",");
  histogram_print("refusedUs", &refused);
  printf("}\n");
}

int main(int count, char **args) {
  settle_in();
  read_options(count, args);
  make_requests();
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (options.rate > 0) {
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &timer};
    epoll_ctl(poller, EPOLL_CTL_ADD, timer, &event);
  }
  if (options.hold > 0) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = &options};
    epoll_ctl(poller, EPOLL_CTL_ADD, 0, &event); /* fails for a plain file, which has no end to wait for */
    hold_left = options.hold;
  }
  start_us = now_us() + (options.rate > 0 ? 1000 : 0);
  window_us = start_us + (int64_t)(options.warm_up * 1e6);
  end_us = options.seconds > 0 ? window_us + (int64_t)(options.seconds * 1e6) : INT64_MAX;
  int64_t looked_us = start_us, now = start_us;
  for (;;) {
    dispatch();
    now = now_us();
    if (options.hold > 0 && !held_said && opened + open_failed >= options.hold) say_open();
    if (finished(now)) break;
    struct epoll_event ready[EVENTS];
    int found = epoll_wait(poller, ready, EVENTS, 20);
    for (int i = 0; i < found; i++) {
      if (ready[i].data.ptr == &timer) {
        uint64_t times;
        if (read(timer, &times, sizeof times) < 0) continue;
      } else if (ready[i].data.ptr == &options) {
        char rest[256];
        if (read(0, rest, sizeof rest) <= 0) hold_left = 0;
      } else {
        on_event(ready[i].data.ptr, ready[i].events);
      }
    }
    if (now - looked_us > 1000000) {
      looked_us = now;
      end_overdue(now);
    }
  }
  unfinished = (uint64_t)busy.size;
  print_result(now_us());
  return 0;
}
