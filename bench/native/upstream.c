/* A scripted upstream in the protocols of Chat Completions, Messages and Responses. What it answers is said by the model that is asked for; see `script_of`. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "message-reader.h"

#define EVENTS 256
#define KEPT 4096       /* of a request's body; the model stands at its beginning */
#define CHUNK_BYTES 237 /* of a streamed piece, its `data:` line and blank line included */

#define NUMBERS 1024    /* pieces of a response that are made: each has a number of its own */
#define BEFORE_PIECES 4 /* events of a response, numbered from 0 */

enum kind { WHOLE, STREAM, SILENT };
enum protocol { OPENAI, ANTHROPIC, RESPONSES, PROTOCOLS };

struct script {
  enum kind kind;
  enum protocol protocol;
  int pieces;
  int64_t interval_us, delay_us;
};

struct conn {
  int fd;
  struct script script;
  int sent_pieces;
  bool answering;
  int64_t next_us;
  int heap_at; /* 0: not in the heap */
  struct conn *before_silent, *after_silent;
  char kept[KEPT];
  size_t kept_size;
  char *unsent; /* what the socket did not take */
  size_t unsent_size;
  bool waits_to_send;
  struct message message;
};

static int poller;
static struct conn **heap;
static int heap_size, heap_space;
static struct conn *silent;
static uint64_t served, phase;

/* The parts of an answer in one protocol; the pieces and the end of a response stand apart, because they differ with how many there are. */
static struct answers {
  char whole[4096], begin[4096], piece[512], end[2048];
  size_t whole_size, begin_size, piece_size, end_size;
} made[PROTOCOLS];
static char numbered[NUMBERS][512];
static size_t numbered_size[NUMBERS];
static char response_text[CHUNK_BYTES + 1]; /* of one piece */

/* --- answers, made once --- */

static size_t add_chunk(char *to, const char *text) { return (size_t)sprintf(to, "%zx\r\n%s\r\n", strlen(text), text); }

/* One event as its own chunk, its text made long enough for CHUNK_BYTES. */
static size_t make_piece(char *to, const char *before, const char *after) {
  char event[CHUNK_BYTES + 1];
  size_t fill = CHUNK_BYTES - strlen(before) - strlen(after);
  char text[CHUNK_BYTES + 1];
  for (size_t i = 0; i < fill; i++) text[i] = "a token of the answer "[i % 22];
  text[fill] = 0;
  snprintf(event, sizeof event, "%s%s%s", before, text, after);
  return add_chunk(to, event);
}

static size_t make_whole(char *to, const char *body) {
  return (size_t)sprintf(to, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %zu\r\n\r\n%s", strlen(body), body);
}

static const char *words = "The answer to the question is that it depends on the load, the machine, and on what is being counted; measure it where it runs.";
static const char *head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n";

static void make_openai(struct answers *a) {
  char body[1600], before[400], event[700];
  const char *usage = "\"usage\":{\"prompt_tokens\":520,\"completion_tokens\":200,\"total_tokens\":720}";
  sprintf(body,
          "{\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion\",\"created\":1760000000,\"model\":\"scripted\",\"choices\":[{\"index\":0,\"message\":{\"role\":"
          "\"assistant\",\"content\":\"%s\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}],%s}",
          words, usage);
  a->whole_size = make_whole(a->whole, body);
  const char *common = "data: {\"id\":\"chatcmpl-bench\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"scripted\",";
  a->begin_size = (size_t)sprintf(a->begin, "%s", head);
  sprintf(before, "%s\"choices\":[{\"index\":0,\"delta\":{\"content\":\"", common);
  a->piece_size = make_piece(a->piece, before, "\"},\"finish_reason\":null}]}\n\n");
  sprintf(event, "%s\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", common);
  a->end_size = add_chunk(a->end, event);
  sprintf(event, "%s\"choices\":[],%s}\n\n", common, usage);
  a->end_size += add_chunk(a->end + a->end_size, event);
  a->end_size += add_chunk(a->end + a->end_size, "data: [DONE]\n\n");
  a->end_size += (size_t)sprintf(a->end + a->end_size, "0\r\n\r\n");
}

static void make_anthropic(struct answers *a) {
  char body[1600];
  sprintf(body,
          "{\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"scripted\",\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
          "\"stop_reason\":\"end_turn\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":520,\"output_tokens\":200}}",
          words);
  a->whole_size = make_whole(a->whole, body);
  a->begin_size = (size_t)sprintf(a->begin, "%s", head);
  a->begin_size += add_chunk(a->begin + a->begin_size,
                             "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_bench\",\"type\":\"message\",\"role\":"
                             "\"assistant\",\"model\":\"scripted\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":520,"
                             "\"output_tokens\":1}}}\n\n");
  a->begin_size += add_chunk(a->begin + a->begin_size,
                             "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
  a->piece_size = make_piece(a->piece,
                             "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"",
                             "\"}}\n\n");
  a->end_size = add_chunk(a->end, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
  a->end_size += add_chunk(a->end + a->end_size,
                           "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{"
                           "\"output_tokens\":200}}\n\n");
  a->end_size += add_chunk(a->end + a->end_size, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
  a->end_size += (size_t)sprintf(a->end + a->end_size, "0\r\n\r\n");
}

/* --- a response: all its fields, as OpenAI sends them; `output` and `usage` are JSON --- */

static size_t add_response(char *to, const char *status, const char *output, const char *usage) {
  return (size_t)sprintf(
      to,
      "{\"id\":\"resp_bench\",\"object\":\"response\",\"created_at\":1760000000,\"status\":\"%s\",\"background\":false,\"completed_at\":null,\"error\":null,"
      "\"incomplete_details\":null,\"instructions\":null,\"max_output_tokens\":1000,\"max_tool_calls\":null,\"model\":\"scripted\",\"output\":[%s],"
      "\"parallel_tool_calls\":true,\"previous_response_id\":null,\"prompt_cache_key\":null,\"reasoning\":{\"effort\":null,\"summary\":null},"
      "\"safety_identifier\":null,\"service_tier\":\"default\",\"store\":false,\"temperature\":1.0,\"text\":{\"format\":{\"type\":\"text\"},"
      "\"verbosity\":\"medium\"},\"tool_choice\":\"auto\",\"tools\":[],\"top_logprobs\":0,\"top_p\":1.0,\"truncation\":\"disabled\",\"usage\":%s,"
      "\"user\":null,\"metadata\":{}}",
      status, output, usage);
}

static size_t add_message(char *to, const char *status, const char *text) {
  return (size_t)sprintf(to,
                         "{\"id\":\"msg_bench\",\"type\":\"message\",\"status\":\"%s\",\"content\":[{\"type\":\"output_text\",\"annotations\":[],"
                         "\"logprobs\":[],\"text\":\"%s\"}],\"role\":\"assistant\"}",
                         status, text);
}

static const char *response_usage = "{\"input_tokens\":520,\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":200,"
                                    "\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":720}";
#define PLACE "\"item_id\":\"msg_bench\",\"output_index\":0,\"content_index\":0"

static void make_responses(struct answers *a) {
  char body[2048], item[512], event[2048], before[400];
  add_message(item, "completed", words);
  add_response(body, "completed", item, response_usage);
  a->whole_size = make_whole(a->whole, body);

  a->begin_size = (size_t)sprintf(a->begin, "%s", head);
  add_response(body, "in_progress", "", "null");
  sprintf(event, "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":%s}\n\n", body);
  a->begin_size += add_chunk(a->begin + a->begin_size, event);
  sprintf(event, "event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"sequence_number\":1,\"response\":%s}\n\n", body);
  a->begin_size += add_chunk(a->begin + a->begin_size, event);
  a->begin_size += add_chunk(a->begin + a->begin_size,
                             "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":2,\"output_index\":0,"
                             "\"item\":{\"id\":\"msg_bench\",\"type\":\"message\",\"status\":\"in_progress\",\"content\":[],\"role\":\"assistant\"}}\n\n");
  a->begin_size += add_chunk(a->begin + a->begin_size,
                             "event: response.content_part.added\ndata: {\"type\":\"response.content_part.added\",\"sequence_number\":3," PLACE
                             ",\"part\":{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"\"}}\n\n");

  /* Numbers have different lengths, and all pieces the same text: the longest number has CHUNK_BYTES. */
  const char *format = "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":%d," PLACE ",\"delta\":\"";
  const char *after = "\",\"logprobs\":[]}\n\n";
  sprintf(before, format, BEFORE_PIECES + NUMBERS - 1);
  size_t fill = CHUNK_BYTES - strlen(before) - strlen(after);
  for (size_t i = 0; i < fill; i++) response_text[i] = "a token of the answer "[i % 22];
  for (int i = 0; i < NUMBERS; i++) {
    sprintf(before, format, BEFORE_PIECES + i);
    sprintf(event, "%s%s%s", before, response_text, after);
    numbered_size[i] = add_chunk(numbered[i], event);
  }
}

/* What says the whole text again: the end of the text, of its part, of the item, and of the response. */
static size_t make_response_end(char **to, int pieces) {
  size_t text_size = strlen(response_text) * (size_t)pieces;
  char *text = calloc(1, text_size + 1), *event = malloc(text_size + 2048), *item = malloc(text_size + 1024), *body = malloc(text_size + 2048);
  *to = malloc(5 * (text_size + 2048));
  if (text == NULL || event == NULL || item == NULL || body == NULL || *to == NULL) give_up("out of memory");
  for (int i = 0; i < pieces; i++) memcpy(text + strlen(response_text) * (size_t)i, response_text, strlen(response_text));
  int number = BEFORE_PIECES + pieces;
  size_t size = 0;
  sprintf(event,
          "event: response.output_text.done\ndata: {\"type\":\"response.output_text.done\",\"sequence_number\":%d," PLACE ",\"text\":\"%s\",\"logprobs\":[]}\n\n",
          number++, text);
  size += add_chunk(*to + size, event);
  sprintf(event,
          "event: response.content_part.done\ndata: {\"type\":\"response.content_part.done\",\"sequence_number\":%d," PLACE
          ",\"part\":{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"%s\"}}\n\n",
          number++, text);
  size += add_chunk(*to + size, event);
  add_message(item, "completed", text);
  sprintf(event,
          "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":%d,\"output_index\":0,\"item\":%s}\n\n", number++,
          item);
  size += add_chunk(*to + size, event);
  add_response(body, "completed", item, response_usage);
  sprintf(event, "event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":%d,\"response\":%s}\n\n", number, body);
  size += add_chunk(*to + size, event);
  size += (size_t)sprintf(*to + size, "0\r\n\r\n");
  free(text);
  free(event);
  free(item);
  free(body);
  return size;
}

static void make_answers(void) {
  make_openai(&made[OPENAI]);
  make_anthropic(&made[ANTHROPIC]);
  make_responses(&made[RESPONSES]);
}

/* --- the next thing to do, by time --- */

static void heap_put(int at, struct conn *c) {
  heap[at] = c;
  c->heap_at = at;
}

static void heap_up(int at, struct conn *c) {
  for (; at > 1 && heap[at / 2]->next_us > c->next_us; at /= 2) heap_put(at, heap[at / 2]);
  heap_put(at, c);
}

static void heap_down(int at, struct conn *c) {
  for (int child; (child = at * 2) <= heap_size; at = child) {
    if (child < heap_size && heap[child + 1]->next_us < heap[child]->next_us) child++;
    if (heap[child]->next_us >= c->next_us) break;
    heap_put(at, heap[child]);
  }
  heap_put(at, c);
}

static void at_time(struct conn *c, int64_t us) {
  c->next_us = us;
  if (heap_size + 2 > heap_space) {
    heap_space = heap_space * 2 + 64;
    heap = realloc(heap, (size_t)heap_space * sizeof *heap);
    if (heap == NULL) give_up("out of memory");
  }
  heap_up(++heap_size, c);
}

static void not_at_time(struct conn *c) {
  int at = c->heap_at;
  if (at == 0) return;
  c->heap_at = 0;
  struct conn *last = heap[heap_size--];
  if (last == c) return;
  heap_up(at, last);
  heap_down(last->heap_at, last);
}

/* --- one exchange --- */

static void leave_silent(struct conn *c) {
  if (c->before_silent == NULL && silent != c) return;
  if (c->before_silent != NULL) c->before_silent->after_silent = c->after_silent;
  else silent = c->after_silent;
  if (c->after_silent != NULL) c->after_silent->before_silent = c->before_silent;
  c->before_silent = c->after_silent = NULL;
}

static void drop(struct conn *c) {
  not_at_time(c);
  leave_silent(c);
  close(c->fd);
  free(c->unsent);
  free(c);
}

/* Level-triggered: one read for each turn, so that a big body keeps no other connection waiting. */
static void watch(struct conn *c, int operation) {
  c->waits_to_send = c->unsent_size > 0;
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (c->waits_to_send ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poller, operation, c->fd, &event);
}

static void send_bytes(struct conn *c, const char *data, size_t size) {
  ssize_t wrote = c->unsent_size > 0 ? 0 : write(c->fd, data, size);
  if (wrote < 0) wrote = 0; /* full, or gone, and then the poll will say so */
  if ((size_t)wrote == size) return;
  size_t rest = size - (size_t)wrote;
  c->unsent = realloc(c->unsent, c->unsent_size + rest);
  if (c->unsent == NULL) give_up("out of memory");
  memcpy(c->unsent + c->unsent_size, data + wrote, rest);
  c->unsent_size += rest;
  if (!c->waits_to_send) watch(c, EPOLL_CTL_MOD);
}

static void send_rest(struct conn *c) {
  if (c->unsent_size == 0) return;
  ssize_t wrote = write(c->fd, c->unsent, c->unsent_size);
  if (wrote <= 0) return;
  c->unsent_size -= (size_t)wrote;
  memmove(c->unsent, c->unsent + wrote, c->unsent_size);
  if (c->unsent_size == 0) watch(c, EPOLL_CTL_MOD);
}

/* `"model":"KIND-A-B-C"`: whole-DELAY, stream-PIECES-INTERVAL-DELAY, silent; milliseconds. Anything else is a whole answer at once. */
static struct script script_of(struct conn *c) {
  struct script script = {.kind = WHOLE};
  char *line = memchr(c->message.head, '\n', c->message.head_size);
  size_t first_line = line == NULL ? 0 : (size_t)(line - c->message.head);
  if (memmem(c->message.head, first_line, "/messages", 9) != NULL) script.protocol = ANTHROPIC;
  else if (memmem(c->message.head, first_line, "/responses", 10) != NULL) script.protocol = RESPONSES;
  const char *model = memmem(c->kept, c->kept_size, "\"model\"", 7);
  if (model == NULL) return script;
  model += 7;
  while (*model == ' ' || *model == ':' || *model == '"') model++;
  double a = 0, b = 0, d = 0;
  if (sscanf(model, "whole-%lf", &a) == 1) {
    script.delay_us = (int64_t)(a * 1000);
  } else if (sscanf(model, "stream-%lf-%lf-%lf", &a, &b, &d) >= 2) {
    script.kind = STREAM;
    script.pieces = (int)a;
    script.interval_us = (int64_t)(b * 1000);
    script.delay_us = (int64_t)(d * 1000);
  } else if (strncmp(model, "silent", 6) == 0) {
    script.kind = SILENT;
  }
  return script;
}

static void end_answer(struct conn *c) {
  served++;
  c->answering = false;
  c->kept_size = 0;
  message_begin(&c->message);
}

static void send_end(struct conn *c) {
  if (c->script.protocol == RESPONSES) {
    char *end;
    size_t size = make_response_end(&end, c->sent_pieces);
    send_bytes(c, end, size);
    free(end);
  } else {
    send_bytes(c, made[c->script.protocol].end, made[c->script.protocol].end_size);
  }
  end_answer(c);
}

static void send_piece(struct conn *c) {
  const struct answers *a = &made[c->script.protocol];
  const char *piece = a->piece;
  size_t piece_size = a->piece_size;
  if (c->script.protocol == RESPONSES) {
    piece = numbered[c->sent_pieces % NUMBERS];
    piece_size = numbered_size[c->sent_pieces % NUMBERS];
  }
  if (c->sent_pieces++ > 0) return send_bytes(c, piece, piece_size);
  char both[sizeof a->begin + sizeof a->piece];
  memcpy(both, a->begin, a->begin_size);
  memcpy(both + a->begin_size, piece, piece_size);
  send_bytes(c, both, a->begin_size + piece_size);
}

static void go_on(struct conn *c) {
  if (c->script.kind == WHOLE) {
    send_bytes(c, made[c->script.protocol].whole, made[c->script.protocol].whole_size);
    return end_answer(c);
  }
  if (c->script.kind == STREAM && c->sent_pieces >= c->script.pieces) return send_end(c);
  bool first = c->sent_pieces == 0;
  /* Who does not keep up gets no heap of pieces to read at once. */
  if (c->unsent_size == 0) send_piece(c);
  if (c->script.kind == SILENT) {
    c->after_silent = silent;
    if (silent != NULL) silent->before_silent = c;
    silent = c;
    return;
  }
  /* Streams that began together are spread over the interval, so that they do not speak in chorus. */
  int64_t shift = first ? (int64_t)((double)c->script.interval_us * ((double)(phase++ * 618 % 1000) / 1000)) : 0;
  /* From now, not from when it was due: what is late must not come in a bunch, or it would be read in one piece. */
  at_time(c, now_us() + c->script.interval_us + shift);
}

static void begin_answer(struct conn *c) {
  c->kept[c->kept_size < KEPT ? c->kept_size : KEPT - 1] = 0;
  c->script = script_of(c);
  c->answering = true;
  c->sent_pieces = 0;
  c->next_us = now_us() + c->script.delay_us;
  if (c->script.delay_us > 0) at_time(c, c->next_us);
  else go_on(c);
}

static void keep_body(void *owner, const char *data, size_t size) {
  struct conn *c = owner;
  size_t room = KEPT - 1 - c->kept_size;
  size_t take = size < room ? size : room;
  memcpy(c->kept + c->kept_size, data, take);
  c->kept_size += take;
}

static void read_requests(struct conn *c) {
  static char buffer[1 << 18];
  ssize_t got = read(c->fd, buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return drop(c);
  for (size_t at = 0; at < (size_t)got;) {
    if (c->answering) return drop(c); /* no caller pipelines */
    size_t used;
    enum reading reading = message_feed(&c->message, false, buffer + at, (size_t)got - at, &used, keep_body, c);
    at += used;
    if (reading == READ_BROKEN) return drop(c);
    if (reading == READ_DONE) begin_answer(c);
  }
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct conn *c = calloc(1, sizeof *c);
    if (c == NULL) give_up("out of memory");
    c->fd = fd;
    watch(c, EPOLL_CTL_ADD);
  }
}

/* `release` ends all silent streams; the end of standard input ends the program. */
static void read_word(void) {
  char word[64];
  ssize_t got = read(0, word, sizeof word);
  if (got <= 0) exit(0);
  int released = 0;
  while (silent != NULL) {
    struct conn *c = silent;
    leave_silent(c);
    send_end(c);
    released++;
  }
  printf("{\"released\":%d,\"served\":%llu}\n", released, (unsigned long long)served);
  fflush(stdout);
}

/* Sets the timer to the next thing to do. */
static void wind_timer(int timer) {
  static int64_t wound_us;
  if (heap_size == 0 || heap[1]->next_us == wound_us) return;
  wound_us = heap[1]->next_us;
  struct itimerspec at = {.it_value = {.tv_sec = wound_us / 1000000, .tv_nsec = wound_us % 1000000 * 1000}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void listen_to(int fd, void *what) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
  epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
}

int main(void) {
  settle_in();
  make_answers();
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4096) < 0) give_up("no free port");
  getsockname(listener, (struct sockaddr *)&address, &size);
  poller = epoll_create1(EPOLL_CLOEXEC);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  listen_to(listener, &poller);
  listen_to(0, &silent);
  listen_to(timer, &heap);
  printf("{\"port\":%d}\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    struct epoll_event ready[EVENTS];
    wind_timer(timer);
    int found = epoll_wait(poller, ready, EVENTS, -1);
    for (int i = 0; i < found; i++) {
      void *what = ready[i].data.ptr;
      if (what == &poller) accept_all(listener);
      else if (what == &silent) read_word();
      else if (what == &heap) {
        uint64_t times;
        if (read(timer, &times, sizeof times) < 0) continue;
      } else {
        struct conn *c = what;
        if (ready[i].events & EPOLLOUT) send_rest(c);
        if (ready[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) read_requests(c);
      }
    }
    while (heap_size > 0 && heap[1]->next_us <= now_us()) {
      struct conn *c = heap[1];
      not_at_time(c);
      go_on(c);
    }
  }
}
