/* Reads one HTTP/1.1 message from pieces as they arrive: a head, then a body of known length, in chunks, or to the end of the connection. */
#ifndef MESSAGE_READER_H
#define MESSAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEAD_LIMIT 16384

enum reading { READ_MORE, READ_DONE, READ_BROKEN };
enum body_kind { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_TO_END };
enum chunk_place { CHUNK_SIZE, CHUNK_SIZE_END, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER };

struct message {
  char head[HEAD_LIMIT];
  size_t head_size;
  bool head_done;
  int status; /* 0 for a request */
  bool closes;
  bool retry_after;
  enum body_kind kind;
  uint64_t left; /* of the body, or of the current chunk */
  enum chunk_place place;
  bool size_digits;
  bool trailer_empty;
  uint64_t chunks;
};

typedef void (*body_reader)(void *owner, const char *data, size_t size);

/* The head is left as it is: it may be 16 kB, and only what was written of it counts. */
static inline void message_begin(struct message *m) {
  m->head_size = 0;
  m->head_done = false;
  m->status = 0;
  m->closes = false;
  m->retry_after = false;
  m->kind = BODY_NONE;
  m->left = 0;
  m->place = CHUNK_SIZE;
  m->size_digits = false;
  m->trailer_empty = true;
  m->chunks = 0;
}

static inline bool message_untouched(const struct message *m) { return m->head_size == 0 && !m->head_done; }

static inline bool header_is(const char *line, size_t size, const char *name) {
  size_t length = strlen(name);
  return size > length && line[length] == ':' && strncasecmp(line, name, length) == 0;
}

static inline bool value_has(const char *value, const char *end, const char *word) {
  size_t length = strlen(word);
  for (; value + length <= end; value++)
    if (strncasecmp(value, word, length) == 0) return true;
  return false;
}

static inline bool message_read_head(struct message *m, bool response) {
  m->head[m->head_size] = 0;
  if (response) {
    if (strncmp(m->head, "HTTP/1.", 7) != 0) return false;
    m->status = atoi(m->head + 9);
    if (m->status < 100 || m->status > 999) return false;
    m->kind = BODY_TO_END;
  }
  char *end = m->head + m->head_size;
  for (char *line = memchr(m->head, '\n', m->head_size); line != NULL && ++line < end;) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) break;
    size_t size = (size_t)(stop - line);
    if (header_is(line, size, "content-length")) {
      if (m->kind != BODY_CHUNKED) {
        m->left = strtoull(line + 15, NULL, 10);
        m->kind = m->left == 0 ? BODY_NONE : BODY_LENGTH;
      }
    } else if (header_is(line, size, "transfer-encoding")) {
      if (value_has(line, stop, "chunked")) m->kind = BODY_CHUNKED;
    } else if (header_is(line, size, "connection")) {
      if (value_has(line, stop, "close")) m->closes = true;
    } else if (header_is(line, size, "retry-after")) {
      m->retry_after = true;
    }
    line = stop;
  }
  if (response && (m->status < 200 || m->status == 204 || m->status == 304)) m->kind = BODY_NONE;
  return true;
}

/* Takes what arrived. `used` is how much of it belongs to this message; the reader is called for each piece of its body. */
static inline enum reading message_feed(struct message *m, bool response, const char *data, size_t size, size_t *used, body_reader reader, void *owner) {
  size_t at = 0;
  *used = 0;
  while (!m->head_done) {
    if (at == size) return *used = at, READ_MORE;
    const char *stop = memchr(data + at, '\n', size - at);
    size_t take = (stop == NULL ? size : (size_t)(stop - data) + 1) - at;
    if (m->head_size + take >= HEAD_LIMIT) return READ_BROKEN;
    memcpy(m->head + m->head_size, data + at, take);
    m->head_size += take;
    at += take;
    if (stop == NULL) continue;
    bool blank = m->head_size >= 4 && memcmp(m->head + m->head_size - 4, "\r\n\r\n", 4) == 0;
    if (!blank) continue;
    if (!message_read_head(m, response)) return READ_BROKEN;
    if (response && m->status < 200) { /* an interim answer: the real one follows */
      message_begin(m);
      continue;
    }
    m->head_done = true;
  }
  if (m->kind == BODY_NONE) return *used = at, READ_DONE;
  while (at < size) {
    if (m->kind == BODY_TO_END) {
      reader(owner, data + at, size - at);
      return *used = size, READ_MORE;
    }
    if (m->kind == BODY_LENGTH || m->place == CHUNK_DATA) {
      size_t take = m->left < size - at ? (size_t)m->left : size - at;
      reader(owner, data + at, take);
      at += take;
      m->left -= take;
      if (m->left > 0) break;
      if (m->kind == BODY_LENGTH) return *used = at, READ_DONE;
      m->place = CHUNK_DATA_END;
      continue;
    }
    char c = data[at++];
    switch (m->place) {
      case CHUNK_SIZE: {
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit >= 0 && m->left < (1ull << 40)) {
          m->left = m->left * 16 + (uint64_t)digit;
          m->size_digits = true;
          break;
        }
        if (!m->size_digits || (c != '\r' && c != ';')) return READ_BROKEN;
        m->place = CHUNK_SIZE_END;
        break;
      }
      case CHUNK_SIZE_END:
        if (c != '\n') break;
        m->size_digits = false;
        m->trailer_empty = true;
        if (m->left > 0) m->chunks++;
        m->place = m->left > 0 ? CHUNK_DATA : CHUNK_TRAILER;
        break;
      case CHUNK_DATA_END:
        if (c == '\n') m->place = CHUNK_SIZE;
        else if (c != '\r') return READ_BROKEN;
        break;
      case CHUNK_TRAILER:
        if (c == '\n' && m->trailer_empty) return *used = at, READ_DONE;
        if (c == '\n') m->trailer_empty = true;
        else if (c != '\r') m->trailer_empty = false;
        break;
      case CHUNK_DATA: return READ_BROKEN; /* handled above */
    }
  }
  return *used = at, READ_MORE;
}

#endif
