import type { TaskFilter } from '../contracts/index.ts';
import { WritError } from './errors.ts';
import { wellFormed } from './i-json.ts';

/** A place in the order "newest change first": time of the change, then the row's number. */
export interface PageCursor {
  readonly updated: number;
  readonly n: number;
}

const CURSOR = /^(\d{1,15})-(\d{1,15})$/;

export function cursorOf({ updated, n }: PageCursor): string {
  return `${updated}-${n}`;
}

/** @throws WritError INVALID_ARGUMENT for a text that is no cursor */
export function parseCursor(cursor: string): PageCursor {
  const [, updated, n] = CURSOR.exec(cursor) ?? [];
  if (updated === undefined || n === undefined) throw new WritError('INVALID_ARGUMENT', 'is no cursor of a task list', { field: 'cursor' });
  return { updated: Number(updated), n: Number(n) };
}

/** The span of a filter's times: at or after `from`, before `to`, as places. */
export function spanOf({ since, until }: TaskFilter): { readonly from: PageCursor; readonly to: PageCursor } {
  return {
    from: { updated: since === undefined ? 0 : Math.max(0, Date.parse(since)), n: 0 },
    to: { updated: until === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, Date.parse(until)), n: 0 },
  };
}

const CONTROL = /\p{Cc}/gu;

/**
 * A path as the index has it and as it is looked for: components as files have them (`//` and `/./` collapse, as in
 * `docs/file-executor.md`), what cannot be shown replaced. A network form stays as it came: it is no path of this host.
 */
export function indexedPath(path: string): string {
  const text = wellFormed(path).replace(CONTROL, '\ufffd');
  if (!/^\/(?!\/)/.test(text)) return text;
  return `/${text
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`;
}

/**
 * The paths beneath a prefix of whole components, in byte order: the prefix itself, and everything at or after `from` and
 * before `to`.
 */
export function pathSpan(prefix: string): { readonly exact: string; readonly from: string; readonly to: string } {
  const exact = indexedPath(prefix).replace(/\/+$/, '');
  // '0' is the character after '/'.
  return { exact: exact === '' ? '/' : exact, from: `${exact}/`, to: `${exact}0` };
}
