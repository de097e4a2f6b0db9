import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

/**
 * How the bytes of a charset may be searched before they are decoded.
 * `utf-8`: text and bytes match alike. `ascii-based`: ASCII text stands in it as the same bytes.
 * `guessed`: UTF-8 if the bytes are, else Windows-1252. `opaque`: only decoding tells.
 */
export type CharsetFamily = 'utf-8' | 'ascii-based' | 'guessed' | 'opaque';

export interface Charset {
  readonly family: CharsetFamily;
  decode(bytes: Uint8Array): string;
}

/**
 * The charset of a label in mail. No label and `us-ascii` are guessed (8-bit bytes there have lost their label); a label
 * that nobody knows is read as Windows-1252, so that its ASCII can be found (decision on broken mail).
 */
export function charsetOf(label: string | undefined): Charset {
  const name = (label ?? '').trim().toLowerCase();
  let charset = known.get(name);
  if (charset === undefined) {
    charset = create(name);
    // Labels are hostile text: the memory of them has an end.
    if (known.size < 256) known.set(name, charset);
  }
  return charset;
}

const known = new Map<string, Charset>();

/** Names that the WHATWG Encoding Standard lacks, normalized. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  shiftjis: 'shift_jis',
  iso2022jp1: 'iso-2022-jp',
  iso2022jp2: 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  iso2022jpms: 'iso-2022-jp',
  eucjpms: 'euc-jp',
  cp936: 'gbk',
  cp949: 'euc-kr',
  uhc: 'euc-kr',
  cp950: 'big5',
  cp874: 'windows-874',
};

/** Names of US-ASCII: the Encoding Standard takes them for Windows-1252. */
const ASCII = new Set(['', 'us-ascii', 'ascii', 'ansi_x3.4-1968', 'iso646-us', '646', 'us']);

function create(name: string): Charset {
  if (ASCII.has(name)) return GUESSED;
  const normalized = name.replace(/^(x-|cs)/, '').replaceAll(/[\s_.-]+/g, '');
  const decoder = tryDecoder(name) ?? tryDecoder(ALIASES[normalized] ?? normalized);
  if (decoder === undefined || decoder.encoding === 'windows-1252') return WINDOWS_1252;
  return { family: familyOf(decoder.encoding), decode: (bytes) => decoder.decode(bytes) };
}

function tryDecoder(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function familyOf(encoding: string): CharsetFamily {
  if (encoding === 'utf-8') return 'utf-8';
  return encoding.startsWith('utf-16') || encoding === 'iso-2022-jp' ? 'opaque' : 'ascii-based';
}

/** 0x80 to 0x9F of Windows-1252. Node 20's own decoder leaves them as control characters. */
const HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

const WINDOWS_1252: Charset = {
  family: 'ascii-based',
  decode(bytes) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    return text.replaceAll(/[\u0080-\u009f]/g, (character) => HIGH.charAt(character.charCodeAt(0) - 0x80));
  },
};

const utf8 = new TextDecoder();

const GUESSED: Charset = {
  family: 'guessed',
  decode: (bytes) => (isUtf8(bytes) ? utf8.decode(bytes) : WINDOWS_1252.decode(bytes)),
};
