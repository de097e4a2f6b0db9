import type { EngineTag } from '../../core/ports/message-engine.ts';
import { ENGINE_TAGS } from './engines.ts';
import type { RetryBy } from './retry.ts';

const TAGS: ReadonlySet<string> = new Set(ENGINE_TAGS);
const TOKEN = /^s([0-9a-fA-F]{1,16}):i(-?\d{1,19}|\+\d{1,19})(?::e([a-z0-9]+)(?::r([a-z]))?)?$/;
const LETTERS = { spelling: 's', any_word: 'a', substrings: 'p' } satisfies Record<RetryBy, string>;
const I64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** Where a page ended (message-search.md 4.1). */
export interface SearchCursor {
  /** Score of the last row; its time of creation, microseconds, where rows are ordered by time. */
  readonly score: number;
  readonly id: bigint;
  /** `undefined` in tokens of version 2: any engine takes them. */
  readonly engine: EngineTag | undefined;
  /** What was looked for instead of the text, on the page before. */
  readonly retry?: RetryBy | undefined;
}

/** `s<bits of the score, 16 hexadecimal digits>:i<id>:e<engine>`; `:r<letter>` behind it where something else was looked for. */
export function encodeCursor({ score, id, engine, retry }: SearchCursor): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, score);
  const bits = view.getBigUint64(0).toString(16).padStart(16, '0');
  return `s${bits}:i${id}${engine === undefined ? '' : `:e${engine}`}${retry === undefined ? '' : `:r${LETTERS[retry]}`}`;
}

/** What a token says; `undefined` for everything that is none, an unknown engine included. */
export function decodeCursor(token: string): SearchCursor | undefined {
  const [, bits, digits, tag, letter] = TOKEN.exec(token) ?? [];
  if (bits === undefined || digits === undefined || (tag !== undefined && !isEngine(tag))) return undefined;
  const id = BigInt(digits.replace('+', ''));
  if (id < I64.min || id > I64.max) return undefined;
  const retry = letter === undefined ? undefined : (Object.keys(LETTERS) as RetryBy[]).find((by) => LETTERS[by] === letter);
  if (letter !== undefined && retry === undefined) return undefined;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${bits}`));
  return { score: view.getFloat64(0), id, engine: tag, ...(retry !== undefined && { retry }) };
}

function isEngine(tag: string): tag is EngineTag {
  return TAGS.has(tag);
}
