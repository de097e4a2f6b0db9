import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { createPost } from '../../../../src/adapters/http-tool/post.ts';
import { attempt } from '../../../../src/webhooks/io/attempt.ts';
import { noticeBody, noticeId } from '../../../../src/webhooks/notice/notice.ts';
import { publicKeyText } from '../../../../src/webhooks/notice/sign-notice.ts';
import { noticeKey } from '../../../support/webhook-receiver.ts';

const page = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const source = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const result = JSON.stringify({ status: 'SUCCESS', output: { text: 'größer' }, error: null, signature: 'a.b.c' });
const outcome = { taskId: 't-1', capabilityId: 'FILE_MOVE', manifestSha256: 'ab', result, at: Date.now() };
const notice = { id: noticeId('crm', outcome), body: noticeBody(outcome) };

describe('the receiver of docs/webhooks.md', () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    env: { WRIT_WEBHOOK_KEY: publicKeyText(noticeKey), PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let port = '';
  beforeAll(async () => {
    port =
      String((await lines.next()).value)
        .split(' ')
        .at(-1) ?? '';
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
  });

  const send = (one: typeof notice, at = Date.now()) =>
    attempt(
      one,
      {
        post: createPost({ url: `http://127.0.0.1:${port}/`, allow: ['127.0.0.1'], field: 'f' }),
        key: noticeKey,
        ed25519: inlineEd25519(nodeEd25519()),
        clock: { now: () => at, monotonic: () => 0 },
        timeoutMs: 60_000,
      },
      new AbortController().signal,
    );

  it('has 20 lines', () => {
    expect(source.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20);
  });

  it('takes a notice, does it once, and says so each time', async () => {
    expect(await send(notice)).toEqual({ kind: 'taken' });
    expect((await lines.next()).value).toBe('task.succeeded t-1');
    expect(await send(notice)).toEqual({ kind: 'taken' });
    const other = { ...outcome, taskId: 't-2' };
    expect(await send({ id: noticeId('crm', other), body: noticeBody(other) })).toEqual({ kind: 'taken' });
    expect((await lines.next()).value).toBe('task.succeeded t-2');
  });

  it('refuses what is forged, changed or old', async () => {
    const refused = { kind: 'failed', problem: 'the receiver answered 401' };
    expect(await send(notice, Date.now() - 3_600_000)).toEqual(refused);
    const post = createPost({ url: `http://127.0.0.1:${port}/`, allow: ['127.0.0.1'], field: 'f' });
    const forged = { 'webhook-id': notice.id, 'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`, 'webhook-signature': `v1a,${'A'.repeat(86)}==` };
    expect(await post(forged, notice.body, new AbortController().signal)).toMatchObject({ status: 401 });
    expect(await post({}, notice.body, new AbortController().signal)).toMatchObject({ status: 401 });
  });
});
