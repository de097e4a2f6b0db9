import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Structured logs, one JSON line each, on standard error; leases, keys and passwords never reach them. */
export function createLogger(level: string, role: string): Logger {
  return pino(
    {
      level,
      base: { role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['lease', '*.lease', 'password', '*.password', 'key', '*.key'], censor: '[redacted]' },
    },
    pino.destination({ dest: 2, sync: false }),
  );
}
