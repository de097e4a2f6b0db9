import { BOUNDS } from '../../../contracts/index.ts';

/** One piece of the input that should be a task: its text, or why it has none. */
export type RawItem =
  | { readonly kind: 'text' /** counts from 1 */; readonly line: number; readonly text: string }
  | { readonly kind: 'problem'; readonly line: number; readonly message: string };

/** A reader is fed bytes in pieces of any size; how they are cut never changes the items. */
export interface Feeder {
  push(bytes: Uint8Array): RawItem[];
  end(): RawItem[];
}

/** A manifest may have this many bytes as it was typed; `MAX_JOB_BYTES` then judges what it says. */
export const MAX_ITEM_BYTES = BOUNDS.item;

export const NEWLINE = 0x0a;

/** Keeps nothing between two texts: every call ends one. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The item of these bytes; `undefined` for blank ones. */
export function itemOf(bytes: Uint8Array, line: number): RawItem | undefined {
  let text: string;
  try {
    text = UTF8.decode(bytes).trim();
  } catch {
    return { kind: 'problem', line, message: 'is not UTF-8' };
  }
  return text === '' ? undefined : { kind: 'text', line, text };
}

export function tooLarge(line: number): RawItem {
  return { kind: 'problem', line, message: `is larger than ${MAX_ITEM_BYTES} bytes` };
}
