import type { MetricRole } from './labels.ts';

/**
 * The contract of traces, part of the telemetry contract: every span and every attribute. `docs/generated/metrics.md` is written from
 * it. Attributes hold ids, names out of our own tables, codes and counts: no path, no message, nothing of a payload.
 */

export interface SpanRow {
  /** As it is shown; `{attribute}` is filled in, with values of a closed set only. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes: readonly AttributeName[];
  readonly roles: readonly (MetricRole | 'cli')[];
  /** One sentence. */
  readonly help: string;
}

/** Attributes, with OpenTelemetry's names where it has one. */
export const ATTRIBUTES = {
  'messaging.system': 'Always `bullmq`.',
  'messaging.operation.name': '`create`, `publish` or `process`.',
  'messaging.operation.type': '`create`, `send` or `process`.',
  'messaging.destination.name': 'The queue, pool included.',
  'messaging.message.id': "BullMQ's id of the job.",
  'messaging.batch.message_count': 'Jobs that were pushed together.',
  'http.request.method': 'Method of the request.',
  'http.route': 'Path as the route is written.',
  'http.response.status_code': 'Status of the answer.',
  'error.type': 'Error code of Writ; the span then has the status error.',
  'writ.task.id': 'The task_id.',
  'writ.plan.id': 'The plan_sha256.',
  'writ.capability': 'The capability; `other` for one that Writ does not know.',
  'writ.end': 'How the delivery ended, as in its log line.',
  'writ.replayed': 'The answer was there already.',
  'writ.takeovers': 'How often a worker was lost with this task.',
  'writ.attempt': 'How often the job was started, this time included.',
  'writ.answer': 'The kind of answer that was given.',
  'writ.step': 'Path of the step in its plan.',
  'writ.tool': 'The tool, as its binding names it.',
  'writ.operation': "The action of the tool's binding.",
} as const satisfies Record<string, string>;

export type AttributeName = keyof typeof ATTRIBUTES;

const MESSAGE = ['messaging.system', 'messaging.operation.name', 'messaging.operation.type', 'messaging.destination.name', 'messaging.message.id'] as const;
const WORKER = ['worker'] as const;
const PUSHES = ['api', 'worker', 'cli'] as const;

/** A call of a port, whose answer has a kind. */
function call(name: string, help: string, kind: 'internal' | 'client' = 'internal') {
  return { name, kind, attributes: ['writ.answer', 'error.type'], roles: WORKER, help } as const;
}

export const SPANS = {
  request: {
    name: '{http.request.method} {http.route}',
    kind: 'server',
    attributes: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type'],
    roles: ['api'],
    help: 'A call of the API that may change something, from its check to its answer.',
  },
  publish: {
    name: 'publish {messaging.destination.name}',
    kind: 'producer',
    attributes: [...MESSAGE, 'messaging.batch.message_count', 'writ.task.id', 'writ.plan.id', 'writ.capability', 'writ.answer', 'error.type'],
    roles: PUSHES,
    help: 'A push to a queue; its context travels in the job. Of many tasks together: one push, without a name of one queue.',
  },
  create: {
    name: 'create {messaging.destination.name}',
    kind: 'producer',
    attributes: [...MESSAGE, 'writ.task.id', 'writ.capability'],
    roles: PUSHES,
    help: 'One task of a push of many: the root of its trace, unless the task brought a context, and linked to the push.',
  },
  wait: {
    name: 'wait {messaging.destination.name}',
    kind: 'internal',
    attributes: ['messaging.destination.name'],
    roles: WORKER,
    help: 'From the push to the first delivery; first attempts only. The times are those of the queue.',
  },
  process: {
    name: 'process {messaging.destination.name}',
    kind: 'consumer',
    attributes: [...MESSAGE, 'writ.task.id', 'writ.plan.id', 'writ.capability', 'writ.attempt', 'writ.end', 'writ.replayed', 'writ.takeovers', 'error.type'],
    roles: WORKER,
    help: 'One delivery of one job. Retries, takeovers and replays are further deliveries below the same span of the producer.',
  },
  verify: call('verify lease', 'Signature and claims of the lease.'),
  claim: call('claim', 'The claim in the ledger.'),
  recall: call('recall', "The look into the host's journal."),
  recover: call('recover', 'An attempt of a lost worker is classified and ended.'),
  execute: {
    name: 'execute {writ.capability}',
    kind: 'internal',
    attributes: ['writ.capability', 'writ.answer', 'error.type'],
    roles: WORKER,
    help: 'The executor, from its inputs to its outcome.',
  },
  intent: call('intent', 'The intent is written to the journal, durably.'),
  conclude: call('conclude', 'The signed outcome is written to the journal, durably.'),
  sign: call('sign', 'The outcome is signed.'),
  record: call('record', 'The result is written to the ledger.'),
  scan: call('scan', 'A search in a search process.', 'client'),
  contentSearch: call('search contents', 'A content search in its process, backends included.', 'client'),
  tool: {
    name: 'call {writ.tool}',
    kind: 'client',
    attributes: ['writ.tool', 'writ.operation', 'writ.answer', 'error.type'],
    roles: WORKER,
    help: 'The request to a tool of the outside, and its answer.',
  },
  step: {
    name: 'plan step',
    kind: 'internal',
    attributes: ['writ.step', 'writ.tool', 'writ.operation', 'writ.task.id', 'error.type'],
    roles: WORKER,
    help: 'A step of a plan is put on its queue; the delivery of its task is below it.',
  },
  derive: call('derive lease', 'The kernel signs the lease of a step.', 'client'),
} as const satisfies Record<string, SpanRow>;

export type SpanName = keyof typeof SPANS;
