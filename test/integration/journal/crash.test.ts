import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournalReader } from '../../../src/adapters/sqlite/journal/journal-reader.ts';
import { startChild, temporaryDirectory } from './fixture.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** Runs the writer and kills it, without warning, once it has said so many lines; answers with all that it said. */
async function killAfter(file: string, prefix: string, lines: number): Promise<readonly (readonly [string, string])[]> {
  const writer = startChild('./crash-child.ts', [file, prefix], {
    onOutput: (said) => {
      if (said.split('\n').length > lines) writer.process.kill('SIGKILL');
    },
  });
  const said = await writer.output;
  // The last line may be cut.
  const whole = said.slice(0, said.lastIndexOf('\n'));
  return whole.split('\n').map((line) => line.split(' ') as [string, string]);
}

describe('a journal whose process is killed', () => {
  it('holds every step whose promise had resolved, and goes on afterwards', async () => {
    const file = path.join(directory.path, 'journal.db');
    const said: (readonly [string, string])[] = [];
    for (const [round, lines] of [1, 37, 611].entries()) {
      said.push(...(await killAfter(file, `r${round}`, lines)));
      const reader = openJournalReader(file);
      const last = new Map(said.map(([step, taskId]) => [taskId, step]));
      for (const [taskId, step] of last) {
        const view = reader.view(taskId);
        expect(view.attempts, taskId).toBe(1);
        if (step === 'success') expect(view.success?.result).toBe(`result of ${taskId}`);
        if (step === 'failure') expect(view).toEqual({ attempts: 1, open: undefined, success: undefined });
        // Said to be open: open still, or closed by a step that was not said any more.
      }
      const counts = reader.counts();
      // Each of the 16 lanes may have been one step further than it could say.
      const steps = counts.open + 2 * (counts.success + counts.failure);
      expect(steps).toBeGreaterThanOrEqual(said.length);
      expect(steps).toBeLessThanOrEqual(said.length + 16 * (round + 1) + 16);
      reader.close();
    }
  });
});
