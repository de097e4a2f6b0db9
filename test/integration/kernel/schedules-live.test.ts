import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import { createKernelConnection } from '../../../src/kernel/index.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { missedFiring } from '../../support/missed-firing.ts';
import { manifestOf, startRig } from '../../support/rig.ts';

it('a firing that was missed while the kernel was down runs after its start, over a real queue and worker', async () => {
  await using rig = await startRig();
  writeFileSync(path.join(rig.base, 'a.txt'), 'a');
  const manifest = manifestOf('FILE_COPY', path.join(rig.base, 'a.txt'), path.join(rig.base, 'b.txt'), { task_id: 'nightly' });
  const taskId = missedFiring(rig.places, manifest);

  await rig.startWorker();
  const role = await createKernelRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'kernel') });
  await role.start();
  try {
    expect((await rig.answer(taskId)).status).toBe('SUCCESS');
    const kernel = createKernelConnection(rig.places.kernelSocket);
    expect(await kernel.schedules('ops').show('nightly')).toMatchObject({ firings: [{ task_id: taskId, pushes: 1 }] });
    await expect(kernel.schedules('ops').show('daily')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    kernel.close();
  } finally {
    await role.stop();
  }
});
