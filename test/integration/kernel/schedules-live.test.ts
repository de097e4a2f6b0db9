import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openKernelStore } from '../../../src/adapters/sqlite/kernel-store/kernel-store.ts';
import { createPlanPreview } from '../../../src/bin/plan/preview.ts';
import { createKernelRole } from '../../../src/bin/roles/kernel.ts';
import type { DataDirPaths } from '../../../src/data-dir/paths.ts';
import { createKernelConnection } from '../../../src/kernel/index.ts';
import { createLogger } from '../../../src/observability/logging.ts';
import { lookAgain } from '../../support/look-again.ts';
import { missedFiring, missedPlan } from '../../support/missed-firing.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { envelopeOf, fileStep } from '../../support/plan-rig.ts';
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

it('a plan that was missed is pushed by the kernel that starts, once more by one that was killed since, and runs once', async () => {
  await using rig = await startRig();
  const [source, destination] = [path.join(rig.base, 'a.txt'), path.join(rig.base, 'b.txt')];
  writeFileSync(source, 'a');
  const { envelope } = createPlanPreview(rig.config).link(envelopeOf([fileStep('FILE_MOVE', source, destination)]));
  const planId = missedPlan(rig.places, 'nightly', envelope);
  const startKernel = async () => {
    const role = await createKernelRole({ config: rig.config, places: rig.places, log: createLogger('silent', 'kernel') });
    await role.start();
    return role;
  };
  const kernel = createKernelConnection(rig.places.kernelSocket);
  const redis = await rig.redis.client();
  const pushed = () =>
    lookAgain({
      look: async () => ((await redis.exists(`{writ}:plan:p_${planId}`)) === 1 ? true : undefined),
      timeoutMs: PATIENCE_MS,
      failure: () => 'the plan is not on its queue',
    });
  let role = await startKernel();
  await pushed();
  await role.stop();
  // Nobody has it any more, and no kernel runs that could know.
  await rig.redis.flushAll();
  lookAtOnce(rig.places, planId);
  role = await startKernel();
  try {
    await pushed();
    await rig.startWorker();
    await expect.poll(() => existsSync(destination), { timeout: PATIENCE_MS }).toBe(true);
    expect(await kernel.schedules('ops').show('nightly')).toMatchObject({ firings: [{ plan_id: planId, pushes: 2 }] });
  } finally {
    kernel.close();
    await role.stop();
  }
});

/** A firing that was pushed is looked at after 15 s: here, with the next start. */
function lookAtOnce(places: Pick<DataDirPaths, 'kernelStore'>, planId: string): void {
  const { schedules, close } = openKernelStore(path.dirname(places.kernelStore));
  const firing = schedules.firing(`p-${planId}`);
  if (firing === undefined) throw new Error('it is not on record');
  schedules.update(firing.taskId, { ...firing, lookAt: 1 });
  close();
}
