import type { Ed25519 } from '../../core/ports/index.ts';

/** The key that signs notices: an Ed25519 key of its own, which signs nothing else. */
export interface NoticeKey {
  /** 64 bytes: seed, then public key. */
  readonly secretKey: Uint8Array;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** A notice as it leaves: its text never changes, its time and signature are those of the attempt. */
export interface SignedHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/**
 * The three headers of Standard Webhooks with an asymmetric signature (`v1a`): Ed25519 over `id.timestamp.body`.
 *
 * @param at milliseconds since 1970; the header has whole seconds, and receivers refuse old ones
 */
export async function signNotice(id: string, body: string, at: number, { secretKey }: NoticeKey, ed25519: Pick<Ed25519, 'sign'>): Promise<SignedHeaders> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = await ed25519.sign(Buffer.from(`${id}.${timestamp}.${body}`, 'utf8'), secretKey);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1a,${Buffer.from(signature).toString('base64')}` };
}

/** The public key as receivers are given it: `whpk_` and base64, as Standard Webhooks writes it. */
export function publicKeyText({ publicKey }: Pick<NoticeKey, 'publicKey'>): string {
  return `whpk_${Buffer.from(publicKey).toString('base64')}`;
}
