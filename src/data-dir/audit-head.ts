import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { replaceFile } from '../adapters/files/replace-file.ts';
import { GENESIS, type Link } from '../core/audit-chain.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';

const Head = z.strictObject({ v: z.literal(1), n: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** Where the last record of a log is noted down beside it. */
export function headFileOf(file: string): string {
  return `${file}.head`;
}

/**
 * The last record that was written, as noted after it was durable. The log may be ahead of it by one write (a crash in
 * between), never behind.
 *
 * @returns `undefined` when nothing was ever noted
 * @throws WritError STORAGE_UNAVAILABLE when the note is damaged
 */
export async function readHead(file: string): Promise<Link | undefined> {
  const text = await readFile(headFileOf(file), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const head = Head.safeParse(parsed(text));
  const isWhole = head.success && textOf(head.data) === text && (head.data.n > 0 || head.data.hash === GENESIS.hash);
  if (!isWhole) throw new WritError('STORAGE_UNAVAILABLE', `${headFileOf(file)} is damaged`);
  return { n: head.data.n, hash: head.data.hash };
}

export async function writeHead(file: string, link: Link): Promise<void> {
  await replaceFile(headFileOf(file), textOf(link));
}

function textOf({ n, hash }: Link): string {
  return `${canonicalJson({ v: 1, n, hash })}\n`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
