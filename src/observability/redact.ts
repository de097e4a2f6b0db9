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
  clean = clean.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean;
}

/** Names under which a secret or a payload could reach a line, whoever logs it. */
const WITHHELD: ReadonlySet<string> = new Set([
  ...['lease', 'password', 'key', 'secret', 'token', 'authorization', 'cookie'],
  ...['manifest', 'envelope', 'inputs', 'params', 'payload', 'body', 'data', 'result', 'output', 'memory'],
]);

/** Where objects lie deeper in a line, they are cut off: whoever logs them had better name what is of use. */
const MAX_DEPTH = 4;

/**
 * The fields of a line without the values of such names, at any depth, and errors as `errorForLog` has them. pino's own `redact` tries every path on every line:
 * 28 us for these names at two levels, of the 600 us that a task costs.
 */
export function withoutPayloads(line: Record<string, unknown>): Record<string, unknown> {
  return membersOf(line, MAX_DEPTH);
}

function membersOf(object: object, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const name of Object.keys(object)) {
    const value = (object as Readonly<Record<string, unknown>>)[name];
    clean[name] = WITHHELD.has(name) && value !== undefined ? '[redacted]' : cleanValue(name, value, depth - 1);
  }
  return clean;
}

function cleanValue(name: string, value: unknown, depth: number): unknown {
  if (value instanceof Error || name === 'err') return errorForLog(value);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (depth === 0) return '[cut]';
  return Array.isArray(value) ? value.map((item) => cleanValue('', item, depth - 1)) : membersOf(value, depth);
}

/** Codes whose messages end in what a tool said. */
const QUOTES_A_TOOL: ReadonlySet<string> = new Set(['TOOL_FAILED', 'TOOL_OUTCOME_UNKNOWN']);

/**
 * The message of a delivery's end as the log has it. The result, which is signed for whoever asked, says more: what a tool
 * answered, and names that a producer made up.
 */
export function messageForLog(end: string, code: string | undefined, message: string | undefined): string | undefined {
  if (message === undefined || message === '') return message;
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

/**
 * An error as the log has it. Only the logger calls it, once a line: what it answers is no error any more. Other properties
 * stay out: those of Redis errors hold the whole command, arguments included.
 */
export function errorForLog(error: unknown): unknown {
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
