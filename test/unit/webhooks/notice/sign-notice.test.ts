import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inlineEd25519 } from '../../../../src/adapters/crypto/inline.ts';
import { nodeEd25519 } from '../../../../src/adapters/crypto/node-crypto.ts';
import { generateKey, signingKey } from '../../../../src/lease/index.ts';
import { noticeBody, noticeId } from '../../../../src/webhooks/notice/notice.ts';
import { publicKeyText, signNotice } from '../../../../src/webhooks/notice/sign-notice.ts';

const key = signingKey(generateKey({ use: 'webhook', capabilities: [] }));
const ed25519 = inlineEd25519(nodeEd25519());
const result = JSON.stringify({ status: 'SUCCESS', output: { text: 'größer 🙂' }, error: null, signature: 'a.b.c' });
const outcome = { taskId: 't-1', capabilityId: 'FILE_MOVE', manifestSha256: 'ab', result, at: 1_700_000_000_123 };

/** A receiver's check, by the public key as it was given and by nothing of ours. */
function isGenuine(headers: Readonly<Record<string, string>>, body: string): boolean {
  const raw = Buffer.from(publicKeyText(key).slice('whpk_'.length), 'base64');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' });
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return verify(null, signed, publicKey, Buffer.from((headers['webhook-signature'] ?? '').slice('v1a,'.length), 'base64'));
}

describe('a signed notice', () => {
  it('verifies with the public key, over id, time and the exact bytes', async () => {
    const [id, body] = [noticeId('crm', outcome), noticeBody(outcome)];
    const headers = { ...(await signNotice(id, body, 1_700_000_555_999, key, ed25519)) };
    expect(headers['webhook-timestamp']).toBe('1700000555');
    expect(headers['webhook-signature']).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
    expect(isGenuine(headers, body)).toBe(true);
    expect(isGenuine(headers, `${body} `)).toBe(false);
    expect(isGenuine({ ...headers, 'webhook-id': `${id}0` }, body)).toBe(false);
    expect(isGenuine({ ...headers, 'webhook-timestamp': '1700000556' }, body)).toBe(false);
  });

  it('carries the signed result as the executor has written it', () => {
    expect(JSON.parse(noticeBody(outcome))).toEqual({
      type: 'task.succeeded',
      timestamp: '2023-11-14T22:13:20.123Z',
      data: { task_id: 't-1', capability_id: 'FILE_MOVE', manifest_sha256: 'ab', result: JSON.parse(result) },
    });
  });

  it('has the same id for the same outcome, whenever it is made, and another for every other', () => {
    const text = fc.string({ maxLength: 6 });
    const all = fc.tuple(text, text, text);
    fc.assert(
      fc.property(all, all, (one, other) => {
        const [a, b] = [one, other].map(([endpoint, taskId, value]) => noticeId(endpoint, { taskId, result: value }));
        expect(a === b).toBe(one.every((part, index) => part === other[index]));
        expect(a).toMatch(/^msg_[0-9a-f]{40}$/);
      }),
    );
  });
});
