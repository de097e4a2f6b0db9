import { describe, expect, it } from 'vitest';
import { openBase } from '../../../src/adapters/linux/confined-fs/base.ts';
import { createCopier } from '../../../src/adapters/linux/confined-fs/copier.ts';
import { createConfinedFileSystem, LOCAL_FILESYSTEMS } from '../../../src/adapters/linux/confined-fs/index.ts';
import { fromCall } from '../../../src/adapters/linux/confined-fs/refusals.ts';
import type { Resolver } from '../../../src/adapters/linux/confined-fs/resolver.ts';
import { createSharedSync } from '../../../src/adapters/linux/confined-fs/shared-sync.ts';
import { libc, O_PATH } from '../../../src/adapters/linux/libc.ts';
import { attack, type Progress } from '../../support/attacker.ts';

/** Everything both succeeded and met a swapped link. */
/** The long suite `attack` goes on for half a minute. */
const SECONDS = 1;
const RACE = {
  outcomes: ['directory: ok', 'directory: symlink', 'entry: ok', 'open: ok', 'open: symlink', 'open: not-a-file', 'move: ok'],
  times: 21,
};

const hasMet = ({ outcomes }: Progress): boolean => RACE.outcomes.every((outcome) => (outcomes[outcome] ?? 0) >= RACE.times);

describe('an attacker who swaps directories and files for links', () => {
  it.each(['openat2', 'walk'] as const)('gets nothing outside opened, read or changed at level %s', { tags: ['FE-09', 'FE-12', 'FE-22'] }, async (level) => {
    const fileSystem = createConfinedFileSystem({ level, allowedFilesystems: LOCAL_FILESYSTEMS });
    const report = await attack({ seconds: SECONDS, openBase: (path) => fileSystem.openBase('attacked', path), hasMet });
    expect(report.escapes).toEqual([]);
    expect(report.outsideEvents).toBe(0);
    expect(report.outsideUnchanged).toBe(true);
    // The race was real.
    expect(report.swaps).toBeGreaterThan(1000);
    for (const outcome of RACE.outcomes) expect(report.outcomes[outcome], outcome).toBeGreaterThanOrEqual(RACE.times);
  });

  it('is caught with an adapter that follows links, so that the two above mean something', async () => {
    const report = await attack({
      seconds: 0.2,
      openBase: (path) => openBase('naive', path, new Set(LOCAL_FILESYSTEMS), naiveTools()),
      hasMet: ({ escapes, outsideEvents, outsideUnchanged }) => escapes.length > 0 && outsideEvents() > 0 && !outsideUnchanged(),
    });
    expect(report.escapes.length).toBeGreaterThan(0);
    expect(report.outsideEvents).toBeGreaterThan(0);
    expect(report.outsideUnchanged).toBe(false);
  });
});

/** What everybody writes first: the path is joined and opened. */
function naiveTools() {
  const c = libc();
  const O_DIRECTORY = 0o200000;
  const resolver: Resolver = {
    level: 'walk',
    directory: async (anchor, segments) => fromCall(await c.openat(anchor.fd, segments.join('/') || '.', O_DIRECTORY, 0)),
    pin: async (_anchor, directory, name) => fromCall(await c.openat(directory, name, O_PATH, 0)),
  };
  return { libc: c, resolver, sharedSync: createSharedSync(), copier: createCopier(c) };
}
