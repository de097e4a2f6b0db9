import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CursorKey } from '../../../../src/core/ports/message-cursor-keys.ts';
import { type CursorOwner, needsSeal, openedCursor, plainCursor, sealedCursor } from '../../../../src/messages/search/cursor-seal.ts';

const TOKEN = 's3ff0000000000000:i42:efts5';
const owner = (agent_id: number): CursorOwner => ({ kind: 'message', scope: { projects: null, viewers: [{ project_id: 1, agent_id }], keep_denied: false } });

function keysOf(...keys: CursorKey[]) {
  return { newest: () => keys.at(-1), withId: (id: number) => keys.find((key) => key.id === id) };
}

describe('a cursor of somebody who may not see everything', () => {
  const old = { id: 1, secret: randomBytes(32) };
  const fresh = { id: 2, secret: randomBytes(32) };
  const sealed = sealedCursor(TOKEN, owner(7), keysOf(old));

  it('carries the number of its key and a MAC behind the token of the specification', { tags: ['MS-075', 'MS-077'] }, () => {
    expect(sealed).toMatch(/^s3ff0000000000000:i42:efts5:a1\.1\.[0-9a-f]{32}$/);
    expect(openedCursor(sealed, owner(7), keysOf(old))).toBe(TOKEN);
    expect(plainCursor(sealed)).toBe(TOKEN);
    expect(plainCursor(TOKEN)).toBe(TOKEN);
  });

  it('is good until its key is taken away', () => {
    expect(openedCursor(sealed, owner(7), keysOf(old, fresh))).toBe(TOKEN);
    expect(openedCursor(sealed, owner(7), keysOf(fresh))).toBeUndefined();
  });

  it('is none when anything of it was changed, when it has no MAC, and for another reader or kind', () => {
    const flipped = [...sealed].map((char, at) => sealed.slice(0, at) + (char === '1' ? '2' : '1') + sealed.slice(at + 1));
    for (const wrong of [...flipped, TOKEN, '', `${sealed}0`, sealed.slice(0, -1), sealed.replace('i42', 'i43')]) {
      expect(openedCursor(wrong, owner(7), keysOf(old, fresh)), wrong).toBeUndefined();
    }
    expect(openedCursor(sealed, owner(8), keysOf(old))).toBeUndefined();
    expect(openedCursor(sealed, { ...owner(7), kind: 'agent' }, keysOf(old))).toBeUndefined();
  });

  it('is needed by viewers and in projects alone', () => {
    expect(needsSeal(owner(7))).toBe(true);
    expect(needsSeal({ kind: 'message', scope: { projects: [], viewers: [], keep_denied: false } })).toBe(true);
    expect(needsSeal({ kind: 'message', scope: { projects: null, viewers: [], keep_denied: false } })).toBe(false);
  });
});
