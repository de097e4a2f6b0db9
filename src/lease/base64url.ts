/** Base64url without padding (RFC 7515). */
export function toBase64url(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.toString('base64url');
}

/**
 * Reads base64url strictly: no padding, no foreign characters, no stray bits in the last character. Node's own decoder
 * forgives all three, so that one token would have many spellings.
 *
 * @returns undefined when `text` is not the one spelling of its bytes
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
