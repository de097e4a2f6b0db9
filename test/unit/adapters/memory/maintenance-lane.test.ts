import { expect, it } from 'vitest';
import { createMemoryLane } from '../../../../src/adapters/memory/maintenance-lane.ts';
import { laneConformance, ROOT_A, task } from '../../../support/content/maintenance-lane.ts';

let made = 0;
const newId = (): string => {
  made += 1;
  return `job${made}`;
};

laneConformance('in one process', { open: async (onFailed) => createMemoryLane({ newId, onFailed }) });

it('takes nothing more after its stop, and drops what waited: the next start of a host looks at everything', async () => {
  const lane = createMemoryLane({ newId });
  lane.process(async () => undefined);
  await lane.start();
  await lane.stop();
  await expect(lane.submit(task(ROOT_A, 'build'))).rejects.toMatchObject({ code: 'WRONG_STATE' });
});
