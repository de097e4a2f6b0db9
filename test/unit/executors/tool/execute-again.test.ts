import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer, callTask, context, deliver, toolJournal } from '../../../support/tools.ts';
import { outOfTime, scripted, untilAborted } from './scripted.ts';

let journal: Awaited<ReturnType<typeof toolJournal>>;
beforeAll(async () => {
  journal = await toolJournal();
});
afterAll(() => journal.remove());

const rig = (script: Parameters<typeof scripted>[1]) => scripted(journal, script);

describe.each(['none', 'idempotent'] as const)('a call with the effect %s', (effect) => {
  it('is sent again with the same key, and leaves nothing in the journal', async () => {
    const { executor, sent } = rig({ effect });
    const task = callTask('t', 'op');
    await deliver(executor, task);
    await deliver(rig({ effect }).executor, task);
    await deliver(executor, task);
    expect(sent.map(({ taskId }) => taskId)).toEqual([task.manifest.task_id, task.manifest.task_id]);
    expect(await executor.memory.recall(task.manifest.task_id)).toEqual({ kind: 'unknown' });
  });

  it.each([
    ['cancelled', 'EXECUTION_FAILED: cancelled'],
    ['shutdown', 'interrupted'],
    ['lock-lost', 'interrupted'],
  ] as const)('stopped by %s on its way ends at once', async (reason, words) => {
    const stop = new AbortController();
    const { executor } = rig({
      effect,
      send: (signal) => {
        const end = untilAborted(signal);
        stop.abort(reason);
        return end;
      },
    });
    expect(await answer(deliver(executor, callTask('t', 'op'), context({ signal: stop.signal })))).toBe(words);
  });

  it('that runs out of time has failed', async () => {
    expect(await outOfTime((script) => answer(deliver(rig({ effect, ...script }).executor, callTask('t', 'op'))))).toBe('TOOL_FAILED: no answer');
  });
});
