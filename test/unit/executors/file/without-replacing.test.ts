import { describe, expect, it } from 'vitest';
import type { ConfinedDirectory, Entry, FsRefusal, FsResult } from '../../../../src/core/ports/index.ts';
import type { OpenedPath } from '../../../../src/executors/file/opened-path.ts';
import { dropLinkedName, moveWithoutReplacing } from '../../../../src/executors/file/without-replacing.ts';

const INODE = { dev: '1', ino: '7' } as Entry;
const refused = (refusal: FsRefusal, errno: string): FsResult<never> => ({ ok: false, refusal, errno });

/** A name in a directory whose looks answer this; `unlinked` tells whether the name was taken away. */
function name(entry: FsResult<Entry>, steps: string[] = []): { readonly path: OpenedPath; readonly unlinked: string[] } {
  const unlinked: string[] = [];
  const parent = {
    entry: async () => entry,
    async sync() {
      steps.push('sync');
      return { ok: true, value: undefined };
    },
    async unlink(one: string) {
      unlinked.push(one);
      steps.push('unlink');
      return { ok: true, value: undefined };
    },
  } as unknown as ConfinedDirectory;
  return { path: { parent, name: 'a' } as OpenedPath, unlinked };
}

const KEPT = name({ ok: true, value: INODE }).path;

describe('taking the first of two names of a file away', () => {
  it('takes it away when both are the one file', async () => {
    const first = name({ ok: true, value: INODE });
    expect(await dropLinkedName(first.path, KEPT)).toEqual({ ok: true, value: undefined });
    expect(first.unlinked).toEqual(['a']);
  });

  it('makes the name that stays durable before the other goes', async () => {
    const steps: string[] = [];
    const file = { ok: true, value: INODE } as const;
    await dropLinkedName(name(file, steps).path, name(file, steps).path);
    expect(steps).toEqual(['sync', 'unlink']);
  });

  it('leaves a name alone that is gone, or somebody else’s by now', async () => {
    const other = name({ ok: true, value: { ...INODE, ino: '8' } });
    expect(await dropLinkedName(other.path, KEPT)).toMatchObject({ ok: true });
    expect(other.unlinked).toEqual([]);
    expect(await dropLinkedName(name(refused('missing', 'ENOENT')).path, KEPT)).toMatchObject({ ok: true });
  });

  it.each([
    ['io', 'EIO'],
    ['permission', 'EACCES'],
  ] as const)('does not call a name gone that it could not look at (%s)', async (refusal, errno) => {
    const first = name(refused(refusal, errno));
    expect(await dropLinkedName(first.path, KEPT)).toEqual({ ok: false, refusal, errno });
    expect(first.unlinked).toEqual([]);
  });
});

describe('giving a name of ours to another place by link and unlink', () => {
  it('takes the new name away again when the old one cannot go', async () => {
    const names = new Set(['old']);
    let syncs = 0;
    const parent = {
      renameNoReplace: async () => refused('unsupported', 'EINVAL'),
      async link(_from: string, _to: ConfinedDirectory, to: string) {
        names.add(to);
        return { ok: true, value: undefined };
      },
      entry: async (one: string) => (names.has(one) ? { ok: true, value: INODE } : refused('missing', 'ENOENT')),
      async sync() {
        syncs += 1;
        return syncs === 1 ? refused('io', 'EIO') : { ok: true, value: undefined };
      },
      async unlink(one: string) {
        names.delete(one);
        return { ok: true, value: undefined };
      },
    } as unknown as ConfinedDirectory;
    const place = (one: string): OpenedPath => ({ parent, name: one }) as OpenedPath;
    expect(await moveWithoutReplacing(place('old'), place('new'))).toEqual({ ok: false, refusal: 'io', errno: 'EIO' });
    expect([...names]).toEqual(['old']);
  });
});
