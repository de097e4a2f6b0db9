import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Lines are written together: one write per task would cost a fifth of the pipeline. */
const BUFFER_BYTES = 8192;
/** A quiet worker's line waits at most this long. */
const FLUSH_MS = 250;

/** Structured logs, one JSON line each, on standard error; leases, keys and passwords never reach them. */
export function createLogger(level: string, role: string): Logger {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['lease', '*.lease', 'password', '*.password', 'key', '*.key'], censor: '[redacted]' },
    },
    pino.destination({ dest: 2, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS }),
  );
}
