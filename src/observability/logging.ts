import { type Logger, pino } from 'pino';
import { type RollingFile, type RotationSettings, rotating } from './log-rotation.ts';
import { descriptorFile, type LogFile, logSinkOf } from './log-sink.ts';
import { withoutPayloads } from './redact.ts';
import { rotationTried } from './rotation-trouble.ts';

export type { Logger } from 'pino';

const STANDARD_ERROR = 2;

export interface LoggerOptions {
  /** Whether lines are to carry the trace that they belong to: `showTraces` says which. */
  readonly traces?: boolean;
  /** Standard error as a file that may be put aside, and when. */
  readonly rotation?: { readonly file: RollingFile | undefined; readonly settings: RotationSettings };
  /** Standard error by default. */
  readonly destination?: pino.DestinationStream;
}

const tracesOf = new WeakMap<object, () => string | undefined>();

/** Structured logs, one JSON line each, on standard error; leases, keys, passwords and payloads never reach them. */
export function createLogger(level: string, role: string, { traces = false, rotation, destination }: LoggerOptions = {}): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: withoutPayloads },
    // In the place of pino's own, which would take what is clean by now for an object of somebody's.
    serializers: { err: (clean: unknown) => clean },
  };
  const log: Logger = pino(
    traces ? { ...options, mixin: () => ({ traceId: tracesOf.get(log)?.() }), mixinMergeStrategy: withTrace } : options,
    destination ?? logSinkOf(standardError(rotation, (error) => rotationTried(log, 'log', error))),
  );
  return log;
}

function standardError(rotation: LoggerOptions['rotation'], onTried: (error: unknown) => void): LogFile {
  const file = descriptorFile(STANDARD_ERROR);
  return rotation?.file === undefined ? file : rotating(file, rotation.file, rotation.settings, Date.now, onTried);
}

/** A line that names the trace of its job keeps it. */
function withTrace(line: object, trace: object): object {
  return 'traceId' in line && line.traceId !== undefined ? line : Object.assign(line, trace);
}

/** From now on lines of this logger carry this trace. */
export function showTraces(log: Logger, traceId: () => string | undefined): void {
  tracesOf.set(log, traceId);
}
