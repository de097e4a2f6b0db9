import { wellFormed } from '../src/core/i-json.ts';

/** Longest texts that the index keeps, characters. */
export const MAX_LENGTHS = { id: 128, jobId: 512, capability: 64, code: 64, message: 2000, path: 4096, plan: 128 } as const;

const CONTROL = /\p{Cc}/gu;
const LAST_TIME = 253_402_300_799_999;

/** A stranger's text, for showing: cut, control characters replaced, well-formed. `undefined` for what is no text. */
export function shown(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  return wellFormed(value.slice(0, most)).replace(CONTROL, '\ufffd');
}

/** Milliseconds since 1970, when the text is such a number. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  const ms = Number(text);
  return ms <= LAST_TIME ? ms : undefined;
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The value of a JSON text, `undefined` when it is none. */
export function jsonOf(text: string | null | undefined): unknown {
  if (text === null || text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const CODED = /^([A-Z][A-Z0-9_]{1,63}): ?/;

/** `CODE: message` of a failed job (processors/settle.ts), in its parts. */
export function reasonOf(failedReason: string | null | undefined): { readonly code: string | undefined; readonly message: string | undefined } {
  const text = failedReason ?? '';
  const [head = '', code] = CODED.exec(text) ?? [];
  return { code, message: shown(text.slice(head.length), MAX_LENGTHS.message) };
}
