export type Transfer = '7bit' | '8bit' | 'quoted-printable' | 'base64';

const LINE = 76;
const SAFE = Array.from({ length: 256 }, (_, byte) => {
  const isPlain = (byte >= 0x20 && byte < 0x7f && byte !== 0x3d) || byte === 0x09;
  return isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** A part's bytes as they stand in a message, ending with a line break. `bytes` are lines of text that end with LF. */
export function written(transfer: Transfer, bytes: Buffer): Buffer {
  if (transfer === 'base64') return Buffer.from(base64Lines(bytes), 'latin1');
  return transfer === 'quoted-printable' ? Buffer.from(quotedPrintable(bytes), 'latin1') : bytes;
}

export function base64Lines(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll(/.{1,76}/g, '$&\n');
}

function quotedPrintable(bytes: Buffer): string {
  let text = '';
  let line = '';
  for (const byte of bytes) {
    if (byte === 0x0a) {
      text += `${line.replace(/[ \t]$/, (blank) => SAFE_BLANK[blank] ?? blank)}\n`;
      line = '';
      continue;
    }
    const piece = SAFE[byte] ?? '';
    if (line.length + piece.length >= LINE) {
      text += `${line}=\n`;
      line = '';
    }
    line += piece;
  }
  return line === '' ? text : `${text}${line}\n`;
}

/** A blank at the end of a line would be lost on the way (RFC 2045 6.7). */
const SAFE_BLANK: Readonly<Record<string, string>> = { ' ': '=20', '\t': '=09' };
