import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProgress, type Progress } from '../../../../../src/surfaces/cli/push/progress.ts';

/** What a terminal was shown when it said `words` last. */
async function shown(words: string, size: number | undefined, waits: boolean, act: (progress: Progress) => void): Promise<string> {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 200 });
  const progress = createProgress({ stderr }, size, waits);
  act(progress);
  let seen = '';
  for await (const chunk of stderr) {
    seen += String(chunk);
    if (seen.includes(words)) break;
  }
  progress.stop();
  return seen.slice(seen.indexOf(words));
}

describe('progress of a push', () => {
  it('shows what is read of an input as long as there is more of it', async () => {
    const line = await shown('50%', 1_000, true, (progress) => progress.update(500, 5, 1));
    expect(line).toMatch(/^50% \| 500 B \| 1 of 5 tasks answered \| \d+\/s \| \d/);
  });

  it('shows the answers when all is read, and does not say that nothing is left', async () => {
    const line = await shown('0 of 1 task answered', 166, true, (progress) => progress.update(166, 1, 0));
    expect(line).toMatch(/^0 of 1 task answered \| 0\/s \| \? left/);
  });

  it('counts the tasks alone where nobody waits for them', async () => {
    const line = await shown('| 1 task |', undefined, false, (progress) => progress.update(166, 1, 0));
    expect(line).not.toContain('answered');
  });
});
