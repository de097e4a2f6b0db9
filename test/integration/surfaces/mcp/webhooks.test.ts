import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createMemoryTaskIndex } from '../../../../src/adapters/memory/task-index.ts';
import type { OperatorAction } from '../../../../src/core/ports/index.ts';
import { receiver } from '../../../support/webhook-receiver.ts';
import { outboxIn, webhooksOf } from '../../../support/webhooks.ts';
import { startMcp } from '../../../unit/surfaces/mcp/mcp-rig.ts';

const id = `msg_${'a'.repeat(40)}`;

/** An outbox with one dead notice. */
async function prepared(): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'writ-mcp-'));
  const outbox = await outboxIn(directory);
  await outbox.add([{ id, endpoint: 'crm', taskId: 't-1', capabilityId: 'FILE_MOVE', at: 1, body: '{}' }], { event: undefined, seenAt: 0 }, 1);
  const [due] = (await outbox.due('crm', 1, 1, 1)).notices;
  await outbox.settle(due?.seq ?? 0, { state: 'dead', problem: 'it hung', attempts: 10, firstAt: 1 }, Date.now());
  await outbox.stop();
  return directory;
}

it('notices are listed, shown and sent again, and endpoints tried, over MCP, audited, by operators', async () => {
  const directory = await prepared();
  await using at = await receiver();
  const endpoints = { crm: { url: at.url, capabilities: [], keys: [], allow: ['127.0.0.1'] } };
  const webhooks = webhooksOf(endpoints, { directory, index: createMemoryTaskIndex(), outcome: async () => undefined });
  const entries: OperatorAction[] = [];
  const audit = { append: async (entry: OperatorAction) => entries.splice(entries.length, 0, entry) as never };
  const services = { webhooks, audit: async () => audit };
  await webhooks.start();
  try {
    await using mcp = await startMcp(services, ['operate']);
    expect((await mcp.call('list_webhooks')).answer).toMatchObject({ endpoints: [{ endpoint: 'crm', dead: 1, held_bytes: 2, room_bytes: 1e9 }] });
    expect((await mcp.call('list_notices', { state: 'dead', limit: 5 })).answer).toMatchObject({ notices: [{ id, problem: 'it hung' }] });
    expect((await mcp.call('get_notice', { id })).answer).toMatchObject({ id, body: '{}' });
    for (const args of [{}, { id, endpoint: 'crm' }])
      expect(await mcp.call('resend_notices', args)).toMatchObject({ isError: true, answer: { code: 'INVALID_ARGUMENT', field: 'id' } });
    expect((await mcp.call('resend_notices', { endpoint: 'crm' })).answer).toEqual({ resent: 1, left: 0 });
    await at.arrived(1);
    expect(at.received.map((one) => one.id)).toEqual([id]);
    expect((await mcp.call('test_webhook', { endpoint: 'crm' })).answer).toEqual({ endpoint: 'crm', delivered: true });
    expect(entries.map(({ surface, action, outcome }) => `${surface} ${action} ${outcome}`)).toEqual([
      'mcp webhook.resend asked',
      'mcp webhook.resend done',
      'mcp webhook.test asked',
      'mcp webhook.test done',
    ]);

    await using reader = await startMcp(services, ['read', 'submit', 'kernel']);
    for (const name of ['list_webhooks', 'list_notices', 'get_notice', 'resend_notices', 'test_webhook'])
      expect(await reader.call(name, { id })).toMatchObject({ isError: true, answer: { code: 'FORBIDDEN' } });
    await using stdio = await startMcp({}, ['operate', 'submit']);
    const manifest = { task_id: 't', capability_id: 'FILE_DELETE', inputs: { source_path: '/a' }, constraints: { reversible: true } };
    expect(await stdio.call('submit_task', { manifest, webhook: 'crm' })).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE' } });
    expect(await stdio.call('submit_plan', { envelope: {}, webhook: 'crm' })).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE' } });
    expect(await stdio.call('list_webhooks')).toMatchObject({ isError: true, answer: { code: 'WRONG_STATE', message: expect.stringContaining('POST /mcp') } });
  } finally {
    await webhooks.stop();
    rmSync(directory, { recursive: true });
  }
});
