/**
 * The settings the embedded server always runs with: durable, and sized for a small machine that
 * also runs the gateway.
 */

export const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  // Money: a commit that was acknowledged survives a power cut.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",

  // A serving process takes 19 of them at most, and WORKERS=auto runs one per core; unused ones
  // cost 80 KB each, in address space.
  max_connections: "1000",
  shared_buffers: "128MB",
  // Bounds the log that is replayed after a crash, and so the time of a recovery.
  max_wal_size: "512MB",
  // After a crash everything is flushed first: in one call, where the system has it, instead of one
  // for each of a thousand files.
  ...(process.platform === "linux" ? { recovery_init_sync_method: "syncfs" } : {}),
  wal_compression: "on",
  // Files of the log are used again instead of being made anew, which keeps a commit waiting now
  // and then.
  min_wal_size: "256MB",
  // Commits write the log themselves, all of them; a writer that wakes five times a second only
  // comes between.
  wal_writer_delay: "10s",
  autovacuum: "on",
  // The table of live holds turns over completely all the time; once a minute is too rare for it.
  autovacuum_naptime: "10s",
  // Parallel workers need /dev/shm, which containers limit to 64 MB, and gain nothing on two cores.
  max_parallel_workers_per_gather: "0",
  max_logical_replication_workers: "0",
  jit: "off",

  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_checkpoints: "off",
  // Statement text is ours and constant; parameter values are the customers'.
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
};
