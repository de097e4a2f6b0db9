import { describe, expect, it } from 'vitest';
import { startChild, temporaryDirectory } from './fixture.ts';

describe('a journal on a full disk', () => {
  it('rejects what it cannot keep, still answers reads, and works again when there is room', async () => {
    const directory = temporaryDirectory();
    // Fails, and names the command, where user namespaces are forbidden: run it as root then.
    const wrapper = process.geteuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm'];
    const report = JSON.parse(await startChild('./disk-full-child.ts', [directory.path], { wrapper }).output) as Record<string, unknown>;
    expect(report).toMatchObject({
      codes: ['STORAGE_UNAVAILABLE'],
      readBeside: 'fulfilled',
      writeBeside: 'rejected',
      afterRoom: { kind: 'opened', n: 1 },
      rejected: [0],
    });
    expect(report['before']).toContain('SUCCESS');
    // Nothing at all fitted, or what did is there.
    expect([[], [1]]).toContainEqual(report['stood']);
    directory.remove();
  });
});
