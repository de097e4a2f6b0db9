import { describe, expect, it } from 'vitest';
import { inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { createPost } from '../../../../src/adapters/http-tool/post.ts';
import { systemClock } from '../../../../src/core/clock.ts';
import { attempt } from '../../../../src/webhooks/io/attempt.ts';
import { liveBytes } from '../../../support/live-bytes.ts';
import { noticeKey, receiver } from '../../../support/webhook-receiver.ts';

const deps = { key: noticeKey, ed25519: inlineEd25519(nodeEd25519()), clock: systemClock };
const notice = { id: `msg_${'a'.repeat(40)}`, body: '{}' };

describe('an attempt to deliver a notice', () => {
  it('ends when its time is over, though the receiver hangs and garbage is collected meanwhile', async () => {
    await using hanging = await receiver();
    hanging.answers.push(() => undefined);
    const post = createPost({ url: hanging.url, allow: ['127.0.0.1'], field: 'url' });
    const ended = attempt(notice, { ...deps, post, timeoutMs: 200 }, new AbortController().signal);
    const collecting = setInterval(liveBytes, 20);
    expect(await ended).toEqual({ kind: 'failed', problem: expect.stringContaining('in time') });
    clearInterval(collecting);
  });
});
