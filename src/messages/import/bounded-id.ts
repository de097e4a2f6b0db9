import { createHash } from 'node:crypto';
import { MAX_KEY_CHARS } from '../../contracts/index.ts';

const HASH = 'sha256:';
const HEAD_CHARS = MAX_KEY_CHARS - HASH.length - 65;

/** An id from elsewhere that may name a message or a thread here: one that is too long keeps its beginning and gets its hash, so that two of them stay two. */
export function boundedId(id: string): string {
  const whole = id.replaceAll('\0', '\ufffd').toWellFormed();
  if (whole.length <= MAX_KEY_CHARS) return whole;
  return `${whole.slice(0, HEAD_CHARS).toWellFormed()}~${HASH}${createHash('sha256').update(whole).digest('hex')}`;
}
