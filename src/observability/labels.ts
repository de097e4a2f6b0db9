import { CAPABILITY_QUEUE, type CapabilityId, EXECUTOR_ERROR_CODES, type ExecutorErrorCode } from '../contracts/index.ts';

/** The closed sets that values of labels come from. Whatever a stranger wrote becomes `other`: a label never grows. */

export const ROLE_NAMES = ['api', 'worker', 'kernel', 'index'] as const;
export type MetricRole = (typeof ROLE_NAMES)[number];

export const CAPABILITIES = [...(Object.keys(CAPABILITY_QUEUE) as CapabilityId[]), 'other'] as const;
export type CapabilityLabel = (typeof CAPABILITIES)[number];

/** `none`: a SUCCESS. `INVALID_MANIFEST`: a job that was no task at all. */
export const ERROR_CODE_LABELS = ['none', ...EXECUTOR_ERROR_CODES, 'INVALID_MANIFEST', 'other'] as const;
export type ErrorCodeLabel = ExecutorErrorCode | 'none' | 'INVALID_MANIFEST' | 'other';

/** A value out of an open set that the operator's configuration or a process makes, never a producer. */
export interface OpenLabel {
  readonly what: string;
  readonly pattern: RegExp;
}

export type LabelValues = readonly string[] | OpenLabel;

export const QUEUE: OpenLabel = {
  what: 'the queues of the pool',
  pattern: /^(file|search|plan|index-maintenance|message-index|tool-[a-z0-9-]{1,32})(@[a-z0-9][a-z0-9-]{0,31})?$/,
};
/** Paths as the routes are written, never as they were asked for; a set that is complete when the API starts. */
export const ROUTE: OpenLabel = {
  what: "the API's paths as they are written in its table (`/v1/tasks/:id`), `/docs/*`, `/board/*`, and `none` for a path that nothing has",
  pattern: /^(none|\/|(\/[A-Za-z0-9._:-]{1,64}){1,8}(\/\*)?)$/,
};
/** Of what a worker holds and compares with its path. */
export const PLACE: OpenLabel = {
  what: 'the base directories by their ids (`base:inbox`), `data-directory`, `journal`, `tool-journal`',
  pattern: /^(base:[a-z][a-z0-9_-]{0,31}|data-directory|journal|tool-journal)$/,
};
export const VERSION: OpenLabel = { what: 'the version of the package', pattern: /^[0-9A-Za-z.+-]{1,64}$/ };

const KNOWN_CAPABILITIES: ReadonlySet<string> = new Set(CAPABILITIES);
const KNOWN_CODES: ReadonlySet<string> = new Set(ERROR_CODE_LABELS);

export function capabilityLabel(capability: string | undefined): CapabilityLabel {
  return capability !== undefined && KNOWN_CAPABILITIES.has(capability) ? (capability as CapabilityLabel) : 'other';
}

export function errorCodeLabel(code: string | undefined): ErrorCodeLabel {
  if (code === undefined) return 'none';
  return KNOWN_CODES.has(code) ? (code as ErrorCodeLabel) : 'other';
}

/** Whether a label may have this value. */
export function labelAllows(values: LabelValues, value: string): boolean {
  return 'pattern' in values ? values.pattern.test(value) : values.includes(value);
}
