import { describe, expect, it } from 'vitest';
import { failureCause } from '../../../src/core/failure-cause.ts';
import { contents, copyTask, deliver, ending, moveTask, put } from '../../support/file-executor.ts';
import { type Operation, withFaults } from './faults.ts';
import { useFileRig } from './fixture.ts';

const files = useFileRig();
const STAYS = 'EXECUTION_FAILED: the source may not be taken from its directory by this worker';

describe('a move to another file system whose source would stay', () => {
  it.each([
    ['permission', STAYS],
    ['read-only', 'EXECUTION_FAILED: the source lies on a read-only file system'],
  ] as const)('is refused (%s) before a byte is copied, and runs when that is mended', { tags: ['FE-43'] }, async (refusal, says) => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'one');
    const asked: Operation[] = [];
    let stays = true;
    const executor = await files.rig.executor({
      fileSystem: withFaults(files.rig.fileSystem, (operation) => {
        asked.push(operation);
        return stays && operation === 'mayLeave' ? refusal : undefined;
      }),
    });
    asked.length = 0;
    const task = moveTask(source, `${far}/b`);
    expect(await ending(deliver(executor, task))).toBe(says);
    expect(asked).not.toContain('createFile');
    expect(await files.rig.journal.view(task.manifest.task_id)).toMatchObject({ attempts: 0, doubtful: undefined });
    expect(failureCause('EXECUTION_FAILED', says.replace('EXECUTION_FAILED: ', '')).reason).toBe('permission_denied');
    stays = false;
    expect(await ending(deliver(executor, task))).toBe('SUCCESS');
    expect([await contents(near), await contents(far)]).toEqual([{}, { b: 'one' }]);
    await executor.stop();
  });

  it('is a question of moves alone, and no answer to it is no refusal', async () => {
    const { near, far } = await files.room();
    const source = await put(near, 'a', 'one');
    for (const [refusal, task] of [['permission', copyTask(source, `${far}/copy`)] as const, ['io', moveTask(source, `${far}/b`)] as const]) {
      const executor = await files.rig.executor({ fileSystem: withFaults(files.rig.fileSystem, (one) => (one === 'mayLeave' ? refusal : undefined)) });
      expect(await ending(deliver(executor, task))).toBe('SUCCESS');
      await executor.stop();
    }
  });
});
