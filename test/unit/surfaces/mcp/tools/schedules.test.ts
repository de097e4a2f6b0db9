import { expect, it } from 'vitest';
import { canonicalJson } from '../../../../../src/core/canonical-json.ts';
import { sha256Hex } from '../../../../../src/core/hash.ts';
import type { KernelClient, OperatorAction } from '../../../../../src/core/ports/index.ts';
import { linkedEnvelope } from '../../../../fixtures/schedules/lane.ts';
import { scheduleDeskTwin } from '../../../../fixtures/schedules/memory-store.ts';
import { startMcp } from '../mcp-rig.ts';

const manifest = { task_id: 'nightly', capability_id: 'FILE_COPY', inputs: { source_path: '/in/a', destination_path: '/in/b' }, constraints: {} };
const kernel = { schedules: scheduleDeskTwin(() => 1_800_000_000_000) } as KernelClient;

it('schedules are registered, shown, paused, resumed and removed over MCP, audited, by who may have leases signed', async () => {
  const entries: OperatorAction[] = [];
  const audit = { append: async (entry: OperatorAction) => entries.splice(entries.length, 0, entry) as never };
  const preview = { link: (envelope: unknown) => ({ envelope, planSha256: '' }) };
  const services = { kernel: async () => kernel, audit: async () => audit, plans: async () => ({ preview }) as never };
  await using mcp = await startMcp(services, ['kernel']);
  expect((await mcp.call('add_schedule', { manifest, cron: '0 2 * * *', tz: 'Europe/Berlin' })).answer).toMatchObject({ id: 'nightly', state: 'active' });
  expect(await mcp.call('add_schedule', { manifest, cron: '0 3 * * *' })).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE' } });
  // A plan: linked with the definitions of the host, kept under the hash of that.
  const plan = { cron: '0 2 * * *', envelope: linkedEnvelope() };
  expect((await mcp.call('add_schedule', plan)).answer).toMatchObject({ id: 'reports', plan_sha256: sha256Hex(canonicalJson(linkedEnvelope())) });
  expect(await mcp.call('add_schedule', { ...plan, manifest })).toMatchObject({ isError: true, answer: { code: 'INVALID_ARGUMENT' } });
  const all = { manifest, cron: '0 2 * * *', missed: 'all' };
  expect(await mcp.call('add_schedule', all)).toMatchObject({ isError: true, answer: { code: 'INVALID_ARGUMENT', field: 'overlap' } });
  expect((await mcp.call('remove_schedule', { id: 'reports' })).answer).toMatchObject({ id: 'reports' });
  // Audited as the others are; what follows counts from here.
  entries.splice(4);
  expect((await mcp.call('pause_schedule', { id: 'nightly' })).answer).toMatchObject({ state: 'paused' });
  expect((await mcp.call('resume_schedule', { id: 'nightly' })).answer).toMatchObject({ state: 'active', next: expect.any(String) });

  await using reader = await startMcp(services, ['read']);
  expect((await reader.call('list_schedules')).answer).toMatchObject({ schedules: [{ id: 'nightly', cron: '0 2 * * *' }] });
  expect((await reader.call('get_schedule', { id: 'nightly' })).answer).toMatchObject({ firings: [] });
  expect(await reader.call('get_schedule', { id: 'daily' })).toMatchObject({ isError: true, answer: { code: 'NOT_FOUND' } });
  for (const name of ['add_schedule', 'pause_schedule', 'resume_schedule', 'remove_schedule'])
    expect(await reader.call(name, { id: 'nightly' })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });

  expect((await mcp.call('remove_schedule', { id: 'nightly' })).answer).toMatchObject({ id: 'nightly' });
  expect((await reader.call('list_schedules')).answer).toEqual({ schedules: [] });
  expect(entries.map(({ surface, action, outcome }) => `${surface} ${action} ${outcome}`)).toEqual(
    ['add done', 'add refused', 'pause done', 'resume done', 'remove done'].flatMap((one) => {
      const [action, end] = one.split(' ');
      return [`mcp schedule.${action} asked`, `mcp schedule.${action} ${end}`];
    }),
  );
});
