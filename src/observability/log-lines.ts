import type { EventRow } from './metric-row.ts';

/** Every kind of log line. `msg` names the kind; a test finds each log call of the sources here. */
export const LOG_LINES = {
  delivery: {
    level: 'info',
    message: 'delivery',
    fields: ['queue', 'jobId', 'taskId', 'capability', 'end', 'code', 'message', 'ms', 'takeovers'],
    roles: ['worker'],
    help: 'One delivery of one job and its end; `crashed` is of level error and carries `err`.',
  },
  ready: { level: 'info', message: 'ready', fields: [], roles: ['api', 'worker', 'kernel'], help: 'The role works.' },
  stopping: { level: 'info', message: 'stopping', fields: ['reason'], roles: ['api', 'worker', 'kernel'], help: 'The role was asked to stop and drains.' },
  stopped: { level: 'info', message: 'stopped', fields: [], roles: ['api', 'worker', 'kernel'], help: 'The role has ended by itself.' },
  drainDeadline: {
    level: 'error',
    message: 'the drain deadline has passed; ending hard, open work is recovered by the next worker',
    fields: [],
    roles: ['api', 'worker', 'kernel'],
    help: 'A part did not stop in time.',
  },
  redis: { level: 'warn', message: 'redis', fields: ['err'], roles: ['api', 'worker', 'kernel'], help: 'A connection to Redis failed; it is tried again.' },
  queue: { level: 'warn', message: 'queue', fields: ['err'], roles: ['api', 'worker'], help: 'BullMQ reports an error of its own.' },
  metrics: {
    level: 'warn',
    message: 'metrics',
    fields: ['err'],
    roles: ['worker', 'kernel'],
    help: 'The metrics of this process cannot be shown; it works on without.',
  },
  ledgerRebuilt: {
    level: 'warn',
    message: 'redis has no ledger, or lost it; the journal was written back',
    fields: ['restored'],
    roles: ['worker'],
    help: 'The ledger was rebuilt; `restored` rows came from the journal.',
  },
  workerEnded: {
    level: 'warn',
    message: 'a stopped worker held up the others; it was ended',
    fields: ['pid', 'instance'],
    roles: ['worker'],
    help: 'A worker that was stopped (SIGSTOP) in the midst of a commit was killed.',
  },
  redisPolicy: {
    level: 'warn',
    message: 'redis keeps less than it should',
    fields: ['warning'],
    roles: ['worker'],
    help: 'The append-only file of Redis is off or cannot be written.',
  },
  kernelProblem: {
    level: 'error',
    message: 'kernel',
    fields: ['problem'],
    roles: ['kernel'],
    help: 'The kernel met trouble that no caller sees, or sees only as INTERNAL.',
  },
  streamBroken: {
    level: 'warn',
    message: 'an event stream broke off',
    fields: ['err'],
    roles: ['api'],
    help: 'A client of `/v1/events` was cut off; it may come back with Last-Event-ID.',
  },
  roleDied: {
    level: 'warn',
    message: 'a role ended by itself and is started again',
    fields: ['what', 'name'],
    roles: ['up'],
    help: 'A process of `writ up` ended without being asked to.',
  },
  role: { level: 'debug', message: 'role', fields: ['what', 'name'], roles: ['up'], help: 'A process of `writ up` was started, is ready or has stopped.' },
} as const satisfies Record<string, EventRow>;
