import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { IMPORT_OPS, IngestOp, MAX_INGEST_BYTES } from '../../contracts/index.ts';
import { messageOf } from '../../core/errors.ts';
import type { ImportRecord, ImportSource } from '../../core/ports/index.ts';
import { problemsOf } from '../../core/shape-problems.ts';
import { type Bookmark, isAsRead, linesOf } from './jsonl-lines.ts';

/**
 * JSON Lines: each line an operation of `POST /v1/messages`; without `op` it is a message. `created_ts` may be a time in RFC
 * 3339, `project` may be left to the wish, and a message without a key has the hash of its line.
 */
export async function openJsonl(path: string, project: string | undefined): Promise<ImportSource> {
  const file = await open(path, 'r');
  const { size } = await file.stat();

  async function* records(after: string | undefined): AsyncGenerator<ImportRecord, void, void> {
    for await (const { bytes, number, bookmark } of linesOf(file, bookmarkIn(after))) {
      const at = { position: JSON.stringify(bookmark), read: bookmark.offset };
      const where = `line ${number}`;
      if (bytes === undefined) yield { ...at, where, bad: `it has more than ${MAX_INGEST_BYTES} bytes` };
      else if (bytes.some((byte) => byte > 0x20)) yield { ...at, ...judged(bytes, where, project) };
    }
  }

  return {
    format: 'jsonl',
    name: `jsonl ${path} ${project ?? ''}`,
    unit: 'bytes',
    total: size,
    follows: false,
    async fits(position) {
      const bookmark = bookmarkIn(position);
      return bookmark !== undefined && (await isAsRead(file, bookmark));
    },
    records,
    [Symbol.asyncDispose]: () => file.close(),
  };
}

/** An older version wrote positions without the hash of all that is before them. */
const Position = z.object({ offset: z.int().min(0), line: z.int().min(0), sha256: z.string() });

function bookmarkIn(position: string | undefined): Bookmark | undefined {
  try {
    return Position.safeParse(JSON.parse(position ?? '')).data;
  } catch {
    return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function judged(bytes: Buffer, where: string, project: string | undefined): { ops: readonly IngestOp[] } | { bad: string; where: string } {
  try {
    const record: unknown = JSON.parse(UTF8.decode(bytes));
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return { where, bad: 'it is no object' };
    const whole = completed({ ...record }, bytes, project);
    const parsed = IngestOp.safeParse(whole);
    if (!parsed.success) return { where, bad: firstFault(parsed.error, whole) };
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

function firstFault(error: z.ZodError, record: Json): string {
  const [{ field, message }] = problemsOf(error, IngestOp, record);
  // Here it may be a text, too.
  if (field === 'created_ts' && typeof record[field] === 'string') return `${field}: is no time (RFC 3339)`;
  return `${field === '' ? '' : `${field}: `}${message}`;
}
