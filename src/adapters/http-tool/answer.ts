import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parseStrictJson } from '../../core/canonical-json.ts';
import { stepForward } from '../../core/code-points.ts';
import { isWritError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { withRetryAfter } from '../../core/outcome.ts';
import type { ToolAnswer } from '../../core/ports/index.ts';
import { readBody } from './exchange.ts';
import type { Scrubber } from './scrub.ts';
import { member } from './template.ts';

export interface AnswerOptions {
  readonly maxBytes: number;
  /** Keys on the way to the part that becomes the data; empty: all of it. */
  readonly dataPath: readonly string[];
  readonly scrub: Scrubber;
}

/** Deeper data would not fit into the documents that carry it. */
const MAX_DEPTH = 20;

/** Answers of a gateway that lost the server behind it: whether that server did the work is not known. */
const GATEWAY_LOST_IT: ReadonlySet<number> = new Set([502, 504]);

/** Answers that may say when to come again. */
const ASKS_TO_WAIT: ReadonlySet<number> = new Set([429, 503]);

const EXCERPT = 200;

/**
 * What an HTTP answer means: 2xx is the data, anything else is the tool's failure. An answer that says "done" and cannot be
 * carried (too large, encoded, cut off, without the part that the binding wants) is unclear, not a failure.
 */
export async function answerOf(response: IncomingMessage, options: AnswerOptions): Promise<ToolAnswer> {
  const status = response.statusCode ?? 0;
  const ok = status >= 200 && status <= 299;
  if (!ok && status < 400) {
    response.destroy();
    return { kind: 'failed', message: `the tool answered ${status}; redirects are not followed` };
  }
  const body = await readBody(response, options.maxBytes);
  const encoding = response.headers['content-encoding'];
  const plain = encoding === undefined || encoding.toLowerCase() === 'identity';
  if (!ok) {
    const excerpt = body.kind === 'whole' && plain ? excerptOf(body.bytes, options.scrub) : '';
    const message = `the tool answered ${status}${excerpt && `: ${excerpt}`}`;
    const asked = ASKS_TO_WAIT.has(status) ? retryAfterOf(response.headers) : undefined;
    return { kind: GATEWAY_LOST_IT.has(status) ? 'unclear' : 'failed', message: asked === undefined ? message : withRetryAfter(message, asked) };
  }
  if (body.kind === 'too-large') return { kind: 'unclear', message: `the tool answered ${status} with more than ${options.maxBytes} bytes` };
  if (body.kind === 'broken') return { kind: 'unclear', message: `the tool answered ${status} and did not finish` };
  if (!plain) return { kind: 'unclear', message: `the tool answered ${status} in an encoding that was not asked for` };
  const data = dataOf(body.bytes, response.headers['content-type'] ?? '', options);
  if (data === undefined) return { kind: 'unclear', message: `the tool answered ${status} without the part that its binding wants` };
  return { kind: 'ok', data: options.scrub.object(data), meta: { status } };
}

/** Seconds of a Retry-After (RFC 9110 10.2.3); a date counts from the date of the answer, so no clock of ours takes part. */
function retryAfterOf({ 'retry-after': after, date }: IncomingMessage['headers']): number | undefined {
  if (after === undefined) return undefined;
  if (/^\d{1,9}$/.test(after)) return Number(after);
  const seconds = (Date.parse(after) - Date.parse(date ?? '')) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function dataOf(bytes: Buffer, contentType: string, { dataPath }: AnswerOptions): JsonObject | undefined {
  const value = bytes.length === 0 ? {} : read(bytes, contentType);
  let part: Json | undefined = value;
  for (const key of dataPath) {
    part = part === undefined ? undefined : member(part, key);
  }
  if (part === undefined) return undefined;
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? part : { value: part };
}

/** JSON that has one meaning as its value; other text as `{text}`; what is no text only by its size and hash. */
function read(bytes: Buffer, contentType: string): Json {
  const text = decoded(bytes);
  if (text === undefined) return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType.trim())) return { text };
  try {
    return parseStrictJson(text, { maxBytes: bytes.length, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (isWritError(error)) return { text };
    throw error;
  }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The beginning of what the tool said, on one line. Scrubbed before it is cut, so that no half of a secret stays. */
export function excerptOf(said: Buffer | string, scrub: Scrubber): string {
  const text = typeof said === 'string' ? said : (decoded(said) ?? '');
  const line = scrub
    .text(text)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
    .trim();
  const end = stepForward(line, 0, EXCERPT);
  return end < line.length ? `${line.slice(0, end)}…` : line;
}
