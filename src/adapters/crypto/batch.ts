import { PUBLIC_KEY_BYTES, SECRET_KEY_BYTES, SIGNATURE_BYTES } from './sync.ts';

/**
 * What travels between the main thread and a crypto thread: one packed buffer per batch, moved, not copied.
 *
 *   request   u32 operations, then per operation: u8 kind, u32 bytes of message, key (sign 64, verify 32),
 *             signature (verify only, 64), message
 *   reply     per operation, in order: sign 64 bytes of signature, verify 1 byte (1 = good)
 *
 * Numbers are little-endian.
 */
export type Operation =
  | { readonly kind: 'sign'; readonly message: Uint8Array; readonly key: Uint8Array }
  | { readonly kind: 'verify'; readonly message: Uint8Array; readonly key: Uint8Array; readonly signature: Uint8Array };

const KIND = { sign: 1, verify: 2 } satisfies Record<Operation['kind'], number>;
const KEY_BYTES = { sign: SECRET_KEY_BYTES, verify: PUBLIC_KEY_BYTES } satisfies Record<Operation['kind'], number>;
const REPLY_BYTES = { sign: SIGNATURE_BYTES, verify: 1 } satisfies Record<Operation['kind'], number>;
const HEAD_BYTES = 5;

export function requestBytes(operation: Operation): number {
  return HEAD_BYTES + KEY_BYTES[operation.kind] + (operation.kind === 'verify' ? SIGNATURE_BYTES : 0) + operation.message.length;
}

/** @returns a buffer of its own, so that it can be transferred */
export function packRequest(operations: readonly Operation[]): Uint8Array<ArrayBuffer> {
  let total = 4;
  for (const operation of operations) total += requestBytes(operation);
  const packed = Buffer.allocUnsafeSlow(total);
  let at = packed.writeUInt32LE(operations.length, 0);
  for (const operation of operations) {
    packed[at] = KIND[operation.kind];
    packed.writeUInt32LE(operation.message.length, at + 1);
    packed.set(operation.key, at + HEAD_BYTES);
    at += HEAD_BYTES + operation.key.length;
    if (operation.kind === 'verify') {
      packed.set(operation.signature, at);
      at += SIGNATURE_BYTES;
    }
    packed.set(operation.message, at);
    at += operation.message.length;
  }
  return packed;
}

/** The operations as views into the packed request. */
export function unpackRequest(request: Uint8Array): Operation[] {
  const packed = Buffer.from(request.buffer, request.byteOffset, request.byteLength);
  let at = 4;
  const take = (bytes: number): Uint8Array => {
    at += bytes;
    return packed.subarray(at - bytes, at);
  };
  return Array.from({ length: packed.readUInt32LE(0) }, (): Operation => {
    const kind = packed[at] === KIND.sign ? 'sign' : 'verify';
    const messageBytes = packed.readUInt32LE(at + 1);
    at += HEAD_BYTES;
    const key = take(KEY_BYTES[kind]);
    if (kind === 'sign') return { kind, key, message: take(messageBytes) };
    const signature = take(SIGNATURE_BYTES);
    return { kind, key, signature, message: take(messageBytes) };
  });
}

/** The answer to one operation: a signature, or whether a signature is good. */
export type Answer = Uint8Array | boolean;

export function packReply(answers: readonly Answer[]): Uint8Array<ArrayBuffer> {
  const packed = Buffer.allocUnsafeSlow(answers.reduce((bytes, answer) => bytes + (typeof answer === 'boolean' ? 1 : SIGNATURE_BYTES), 0));
  let at = 0;
  for (const answer of answers) {
    const bytes = typeof answer === 'boolean' ? Uint8Array.of(answer ? 1 : 0) : answer;
    packed.set(bytes, at);
    at += bytes.length;
  }
  return packed;
}

/** Signatures are views into the reply. */
export function unpackReply(reply: Uint8Array, operations: readonly Operation[]): Answer[] {
  let at = 0;
  return operations.map(({ kind }) => {
    const start = at;
    at += REPLY_BYTES[kind];
    return kind === 'verify' ? reply[start] === 1 : reply.subarray(start, at);
  });
}
