import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import { manifestSha256 } from '../../../src/core/hash.ts';
import { firingId } from '../../../src/core/schedule-id.ts';
import { createKernelConnection } from '../../../src/kernel/index.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { manifestOf, startRig } from '../../support/rig.ts';

const MINUTE = 60_000;

it('a firing that was missed while the kernel was down runs after its start, over a real queue and worker', async () => {
  await using rig = await startRig();
  writeFileSync(path.join(rig.base, 'a.txt'), 'a');
  const manifest = manifestOf('FILE_COPY', path.join(rig.base, 'a.txt'), path.join(rig.base, 'b.txt'), { task_id: 'nightly' });
  const now = Math.floor(Date.now() / MINUTE);
  const planned = now - 10;
  const [hour, minute] = [new Date(planned * MINUTE).getUTCHours(), new Date(planned * MINUTE).getUTCMinutes()];
  const definition = { manifest, cron: `${minute} ${hour} * * *`, tz: 'UTC', missed: 'latest', overlap: 'skip', gap: 'after', fold: 'first' } as const;
  const store = openKernelStore(path.dirname(rig.places.kernelStore));
  const audit = { action: 'add', schedule: 'nightly', by: 'ops', details: {} } as const;
  store.schedules.put({ id: 'nightly', definition, state: 'active', cursor: planned - 1, next: planned, by: 'ops', at: 0 }, audit, 0);
  store.close();

  await rig.startWorker();
  const role = await createKernelRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'kernel') });
  await role.start();
  try {
    const taskId = firingId('nightly', manifestSha256(manifest), planned);
    expect((await rig.answer(taskId)).status).toBe('SUCCESS');
    const kernel = createKernelConnection(rig.places.kernelSocket);
    expect(await kernel.schedules('ops').show('nightly')).toMatchObject({ firings: [{ task_id: taskId, pushes: 1 }] });
    await expect(kernel.schedules('ops').show('daily')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    kernel.close();
  } finally {
    await role.stop();
  }
});
