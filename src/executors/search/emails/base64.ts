/**
 * Decodes base64 (RFC 2045 6.8): bytes outside of the alphabet are skipped, the first `=` is the end of the data, a last
 * group that is cut short gives what it can. Node also takes the letters of base64url, which mail does not have.
 *
 * @param into memory for what comes out, at least as long as what goes in
 */
export function fromBase64(bytes: Buffer, into?: Buffer): Buffer {
  const end = bytes.indexOf('=');
  const text = bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
  const plain = text.includes('-') || text.includes('_') ? text.replaceAll(/[-_]+/g, '') : text;
  return into === undefined ? Buffer.from(plain, 'base64') : into.subarray(0, into.write(plain, 'base64'));
}
