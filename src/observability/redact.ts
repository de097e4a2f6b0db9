import { isWritError } from '../core/errors.ts';

/** What may stand in a log: no lease, key or password, and nothing of a payload. */

/** Longer texts are cut. */
const MAX_TEXT = 500;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  // Compact JWS: leases and their like.
  [/\beyJ[\w-]{4,}(?:\.[\w-]*){1,4}/g, '[redacted]'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{4,}/gi, '$1 [redacted]'],
  [/\bwrit_[\w.-]{8,}/g, '[redacted]'],
  // User and password in an address.
  [/:\/\/[^\s/@]{1,512}@/g, '://[redacted]@'],
  [/\b(pass(?:word|wd)?|secret|token|api[_-]?key|authorization|requirepass|auth)(["']?\s*[=:]\s*)(?:"[^"]*"|'[^']*'|[^\s,;}]+)/gi, '$1$2[redacted]'],
];

/** A text of ours with what strangers put into it: without what looks like a secret, on one line, and short. */
export function cleanText(text: string): string {
  let clean = text.slice(0, 4 * MAX_TEXT);
  for (const [pattern, instead] of SECRETS) clean = clean.replace(pattern, instead);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  clean = clean.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean;
}

/** Codes whose messages end in what a tool said. */
const QUOTES_A_TOOL: ReadonlySet<string> = new Set(['TOOL_FAILED', 'TOOL_OUTCOME_UNKNOWN']);

/**
 * The message of a delivery's end as the log has it. The result, which is signed for whoever asked, says more: what a tool
 * answered, and names that a producer made up.
 */
export function messageForLog(end: string, code: string | undefined, message: string | undefined): string | undefined {
  if (message === undefined) return undefined;
  if (end === 'malformed') return cleanText(withoutNames(message));
  if (code !== undefined && QUOTES_A_TOOL.has(code)) return cleanText(message.split(': ', 1)[0] ?? '');
  return cleanText(message);
}

/** Where a job is no task, field names are the producer's: those of the contract lie at the first two levels. */
function withoutNames(message: string): string {
  const [, place = '', rest = message] = /^([^\s:]{1,2000}): (.*)$/s.exec(message) ?? [];
  const known = place
    .split('.')
    .slice(0, 2)
    .map((part) => (FIELDS.has(part) ? part : '…'));
  const where = place === '' ? '' : `${known.join('.')}${place.split('.').length > 2 ? '.…' : ''}: `;
  return `${where}${rest.replace(/"(?:[^"\\]|\\.)*"/g, '"…"')}`;
}

const FIELDS: ReadonlySet<string> = new Set([
  ...['job', 'v', 'manifest', 'lease', 'traceparent', 'envelope'],
  ...['task_id', 'capability_id', 'inputs', 'constraints', 'provenance', 'header', 'payload'],
]);

/** An error as the log has it. Its other properties stay out: those of Redis errors hold the whole command, arguments included. */
export function errorForLog(error: unknown): unknown {
  if (isWritError(error)) return { code: error.code, message: cleanText(error.message), stack: stackOf(error) };
  if (!(error instanceof Error)) return typeof error === 'string' ? cleanText(error) : { type: typeof error };
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {};
  return { type: error.name, ...code, message: cleanText(error.message), stack: stackOf(error) };
}

/** Where it happened: the frames only, since the head of a stack repeats the message. */
function stackOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 20)
    .join('\n');
}
