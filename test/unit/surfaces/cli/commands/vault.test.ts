import { describe, expect, it } from 'vitest';
import type { Vault, VaultEntry } from '../../../../../src/core/ports/index.ts';
import { createWorld } from '../world.ts';

function vaultOf(entries: VaultEntry[]): { vault: Vault; purged: string[] } {
  const purged: string[] = [];
  const vault: Vault = {
    entries: async ({ base, before }, after, limit) =>
      entries
        .filter(
          (entry) => entry.taskId > (after?.taskId ?? '') && (base === undefined || entry.base === base) && (before === undefined || entry.since < before),
        )
        .slice(0, limit),
    bases: async () => ['main', 'other'],
    usage: async () => [],
    purge: async (page) =>
      page.map((entry) => {
        if (entry.taskId === 'busy') return { entry, what: 'in-use', why: 'an unfinished task wants it' };
        purged.push(entry.taskId);
        return { entry, what: 'purged' };
      }),
  };
  return { vault, purged };
}

describe('writ vault', () => {
  const DAY = 86_400_000;
  const entry = (taskId: string, since: number): VaultEntry => ({
    base: 'main',
    name: `d-${taskId}`,
    taskId,
    original: { base: 'main', segments: ['x', taskId] },
    bytes: 1024,
    since,
  });

  it.each([['list'], ['purge', '--older-than', '0s', '--confirm']])(
    'is refused for a base directory that nobody knows, instead of finding nothing: %s',
    async (...words) => {
      const world = await createWorld();
      const { vault, purged } = vaultOf([entry('t1', world.clock.ms - DAY)]);
      expect(await world.cli(['vault', ...words, '--base', 'mian'], '', { vault: async () => vault })).toMatchObject({
        code: 2,
        err: expect.stringContaining("--base: there is no base directory 'mian', only main, other"),
      });
      expect(purged).toEqual([]);
    },
  );

  it('lists what was deleted, page after page', async () => {
    const world = await createWorld();
    const { vault } = vaultOf(Array.from({ length: 1_203 }, (_, at) => entry(`t${String(at).padStart(5, '0')}`, world.clock.ms - DAY)));
    const { lines } = await world.cli(['vault', 'list', '--json'], '', { vault: async () => vault });
    expect(lines).toHaveLength(1_204);
    expect(lines[0]).toMatchObject({ task_id: 't00000', kind: 'deleted', file: '/main/x/t00000' });
    expect(lines.at(-1)).toEqual({ summary: { files: 1_203, bytes: 1_203 * 1024 } });
  });

  it('removes nothing without --confirm, and tells what it would remove', async () => {
    const world = await createWorld();
    const { vault, purged } = vaultOf([entry('old', world.clock.ms - 40 * DAY), entry('young', world.clock.ms - DAY)]);
    const said = await world.cli(['vault', 'purge', '--older-than', '30d'], '', { vault: async () => vault });
    expect(said).toMatchObject({ code: 2, err: expect.stringContaining('would remove 1 file (1.0 KiB) for good; add --confirm') });
    expect(purged).toEqual([]);
  });

  it('removes only what is old enough and not wanted back', async () => {
    const world = await createWorld();
    const { vault, purged } = vaultOf([
      entry('busy', world.clock.ms - 40 * DAY),
      entry('old', world.clock.ms - 40 * DAY),
      entry('young', world.clock.ms - DAY),
    ]);
    const said = await world.cli(['vault', 'purge', '--older-than', '30d', '--confirm', '--json'], '', { vault: async () => vault });
    expect(said.lines.at(-1)).toEqual({ summary: { purged: 1, bytes: 1024, in_use: 1, gone: 0, failed: 0 } });
    expect(purged).toEqual(['old']);
  });

  it('has no default age', async () => {
    const world = await createWorld();
    expect(await world.cli(['vault', 'purge', '--confirm'])).toMatchObject({ code: 2, err: expect.stringContaining("required option '--older-than <time>'") });
  });
});
