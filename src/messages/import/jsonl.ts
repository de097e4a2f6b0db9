import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { IMPORT_OPS, IngestOp, MAX_INGEST_BYTES } from '../../contracts/index.ts';
import { messageOf } from '../../core/errors.ts';
import type { ImportRecord, ImportSource } from '../../core/ports/index.ts';

const PIECE = 256 * 1024;
const LF = 0x0a;
/** The beginning of a file tells whether it is still the one that a position is about. */
const HEAD_BYTES = 4096;

/**
 * JSON Lines: each line an operation of `POST /v1/messages`; without `op` it is a message. `created_ts` may be a time in RFC
 * 3339, `project` may be left to the wish, and a message without a key has the hash of its line.
 */
export async function openJsonl(path: string, project: string | undefined): Promise<ImportSource> {
  const file = await open(path, 'r');
  const { size } = await file.stat();
  let whole: string | undefined;
  const headOf = async (bytes: number): Promise<string> => {
    if (bytes >= HEAD_BYTES && whole !== undefined) return whole;
    const buffer = Buffer.alloc(Math.min(bytes, HEAD_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const head = createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 16);
    if (bytes >= HEAD_BYTES) whole = head;
    return head;
  };

  async function* records(after: string | undefined): AsyncGenerator<ImportRecord, void, void> {
    const start = await startOf(after, size, headOf);
    let { line } = start;
    for await (const { bytes, end } of linesOf(file, start.offset)) {
      line += 1;
      const position = JSON.stringify({ offset: end, line, head: await headOf(end) });
      if (bytes === undefined) yield { position, read: end, where: `line ${line}`, bad: `it has more than ${MAX_INGEST_BYTES} bytes` };
      else if (bytes.some((byte) => byte > 0x20)) yield { position, read: end, ...judged(bytes, `line ${line}`, project) };
    }
  }

  return {
    format: 'jsonl',
    name: `jsonl ${path} ${project ?? ''}`,
    unit: 'bytes',
    total: size,
    follows: false,
    records,
    [Symbol.asyncDispose]: () => file.close(),
  };
}

interface Start {
  readonly offset: number;
  readonly line: number;
}

const BEGINNING: Start = { offset: 0, line: 0 };

async function startOf(after: string | undefined, size: number, headOf: (bytes: number) => Promise<string>): Promise<Start> {
  try {
    const { offset, line, head } = JSON.parse(after ?? '') as { offset: number; line: number; head: string };
    return Number.isSafeInteger(offset) && offset <= size && head === (await headOf(offset)) ? { offset, line } : BEGINNING;
  } catch {
    return BEGINNING;
  }
}

/** A line that is too long is passed over as it comes in, so that it never fills memory. */
async function* linesOf(file: Awaited<ReturnType<typeof open>>, from: number): AsyncGenerator<{ bytes: Buffer | undefined; end: number }, void, void> {
  const piece = Buffer.alloc(PIECE);
  let kept: Buffer[] = [];
  let length = 0;
  let at = from;
  const keep = (bytes: Buffer): void => {
    length += bytes.length;
    if (length > MAX_INGEST_BYTES) kept = [];
    else kept.push(Buffer.from(bytes));
  };
  const line = (end: number): { bytes: Buffer | undefined; end: number } => {
    const whole = length > MAX_INGEST_BYTES ? undefined : Buffer.concat(kept);
    [kept, length] = [[], 0];
    return { bytes: whole, end };
  };
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) break;
    let begin = 0;
    for (let feed = piece.subarray(0, bytesRead).indexOf(LF); feed >= 0; feed = piece.subarray(0, bytesRead).indexOf(LF, begin)) {
      keep(piece.subarray(begin, feed));
      begin = feed + 1;
      yield line(at + begin);
    }
    keep(piece.subarray(begin, bytesRead));
    at += bytesRead;
  }
  if (length > 0) yield line(at);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function judged(bytes: Buffer, where: string, project: string | undefined): { ops: readonly IngestOp[] } | { bad: string; where: string } {
  try {
    const record: unknown = JSON.parse(UTF8.decode(bytes));
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return { where, bad: 'it is no object' };
    const parsed = IngestOp.safeParse(completed({ ...record }, bytes, project));
    if (!parsed.success) return { where, bad: firstFault(parsed.error.issues) };
    const { data } = parsed;
    if (IMPORT_OPS.has(data.op)) return { where, bad: `op: ${data.op} cannot be imported` };
    return { ops: [data] };
  } catch (error) {
    return { where, bad: messageOf(error) };
  }
}

type Json = Record<string, unknown>;

function completed(record: Json, bytes: Buffer, project: string | undefined): Json {
  const whole: Json = { op: 'message', ...(project === undefined ? {} : { project }), ...record };
  if (whole['op'] !== 'message') return whole;
  const created = whole['created_ts'];
  const at = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return {
    ...whole,
    key: whole['key'] ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    ...(Number.isNaN(at) ? {} : { created_ts: at * 1000 }),
  };
}

/** Of the kind of operation that it says to be; a union names all that it is not. */
function firstFault(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string; readonly code?: string; readonly errors?: unknown }[],
): string {
  const issue = deepest(issues);
  const at = issue?.path.map(String).join('.') ?? '';
  return `${at === '' ? '' : `${at}: `}${issue?.message ?? 'it is no operation'}`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: unknown;
}

/** In a union the branch that does not object to `op`. */
function deepest(issues: readonly Issue[]): Issue | undefined {
  const first = issues[0];
  if (first === undefined || !Array.isArray(first.errors)) return first;
  const branches = first.errors as readonly (readonly Issue[])[];
  const fitting = branches.find((branch) => !branch.some(({ path }) => path[0] === 'op'));
  return fitting === undefined ? { path: ['op'], message: 'is no operation that is known' } : deepest(fitting);
}
