import { type Logger, pino } from 'pino';
import { messageOf } from '../core/errors.ts';
import { LOG_LINES } from './log-lines.ts';
import { type RollingFile, type RotationSettings, rotating } from './log-rotation.ts';
import { descriptorFile, type LogFile, logSinkOf } from './log-sink.ts';
import { withoutPayloads } from './redact.ts';
import { createRepeatBound } from './repeated-lines.ts';
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
    hooks: { logMethod: onceInAWhile() },
  };
  const log: Logger = pino(
    traces ? { ...options, mixin: () => ({ traceId: tracesOf.get(log)?.() }), mixinMergeStrategy: withTrace } : options,
    destination ?? logSinkOf(standardError(rotation, (error) => rotationTried(log, 'log', error))),
  );
  return log;
}

/** A connection that is lost says so at each try, some times a second and for each connection of the process. */
const OF_CONNECTIONS: ReadonlySet<unknown> = new Set([LOG_LINES.redis.message, LOG_LINES.queue.message]);

function onceInAWhile(): Required<NonNullable<pino.LoggerOptions['hooks']>>['logMethod'] {
  const bound = createRepeatBound(Date.now);
  return function bounded(args, method) {
    const [fields, message]: readonly unknown[] = args;
    if (!OF_CONNECTIONS.has(message) || typeof fields !== 'object' || fields === null || !('err' in fields)) return method.apply(this, args);
    const repeated = bound(`${message}: ${messageOf(fields.err)}`);
    if (repeated !== undefined) method.apply(this, repeated === 0 ? args : [{ ...fields, repeated }, String(message)]);
  };
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
