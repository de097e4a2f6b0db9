import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CursorKey, CursorKeys } from '../../core/ports/message-cursor-keys.ts';
import type { EngineSet } from '../../core/ports/message-engine.ts';

/**
 * Tokens of readers who may not see everything carry a MAC: `<token of message-search.md 4.1>:a1.<number of the key>.<MAC>`.
 * One that was made up, or was made for another reader, names no place (D184). `a1` is the version of this form.
 */

const SEALED = /^(.*):a1\.(\d{1,15})\.([0-9a-f]{32})$/s;
const MAC_BYTES = 16;

/** Whose token it is: what may be seen by these viewers of this kind. */
export type CursorOwner = Pick<EngineSet, 'kind' | 'scope'>;

/** Whether somebody may not see everything, so that a token of theirs must be one that we made. */
export function needsSeal({ scope }: CursorOwner): boolean {
  return scope.viewers.length > 0 || scope.projects !== null || scope.granted !== undefined;
}

/** The token with its MAC; as it is where there is no key, because then there is no data either. */
export function sealedCursor(token: string, owner: CursorOwner, keys: CursorKeys): string {
  const key = keys.newest();
  return key === undefined ? token : `${token}:a1.${key.id}.${macOf(token, owner, key).toString('hex')}`;
}

/** The token without its MAC; `undefined`: it is none that we made for this reader. */
export function openedCursor(sealed: string, owner: CursorOwner, keys: CursorKeys): string | undefined {
  const [, token, id, mac] = SEALED.exec(sealed) ?? [];
  if (token === undefined || mac === undefined) return undefined;
  const key = keys.withId(Number(id));
  return key !== undefined && timingSafeEqual(macOf(token, owner, key), Buffer.from(mac, 'hex')) ? token : undefined;
}

/** Number of the key of a token's MAC; `undefined`: it has none. */
export function sealKeyOf(sealed: string): number | undefined {
  const id = SEALED.exec(sealed)?.[2];
  return id === undefined ? undefined : Number(id);
}

/** The token without a MAC that it may have, for those who may see everything. */
export function plainCursor(token: string): string {
  return SEALED.exec(token)?.[1] ?? token;
}

function macOf(token: string, { kind, scope }: CursorOwner, { secret }: CursorKey): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['writ cursor a1', kind, scope.viewers, scope.granted ?? null, token]))
    .digest()
    .subarray(0, MAC_BYTES);
}
