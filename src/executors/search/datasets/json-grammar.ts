/**
 * JSON (RFC 8259) on bytes. Each function says where what it judges ends, or NO: it is malformed, or too odd to be judged
 * here (half of a surrogate pair, deeper than DEEPEST). The bytes are UTF-8 and have a line feed somewhere behind the
 * place: it is in no token, so nothing runs past it.
 */
export const NO = -1;

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;

/** 1 for the bytes that stand for themselves in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : 1));
/** 1 for what may follow a backslash alone. */
const SHORT = Uint8Array.from({ length: 256 }, (_, byte) => ('"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0));

/** Blanks of a line: space, tab, carriage return. */
export function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x09 || byte === 0x0d; byte = bytes[at]) at += 1;
  return at;
}

/** The first byte at or after `from` that does not stand for itself in a string. */
export function plainEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/** @param from behind the opening quote; @returns the place of the closing one */
export function stringEnd(bytes: Uint8Array, from: number): number {
  for (let at = plainEnd(bytes, from); ; at = plainEnd(bytes, at)) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] !== BACKSLASH) return NO;
    at = escapeEnd(bytes, at + 1);
    if (at === NO) return NO;
  }
}

function escapeEnd(bytes: Uint8Array, at: number): number {
  if (SHORT[bytes[at] ?? 0] === 1) return at + 1;
  const unit = unitAt(bytes, at);
  if (unit < 0xd800 || unit > 0xdfff) return unit === NO ? NO : at + 5;
  const low = unit < 0xdc00 && bytes[at + 5] === BACKSLASH ? unitAt(bytes, at + 6) : NO;
  return low >= 0xdc00 && low <= 0xdfff ? at + 11 : NO;
}

/** The UTF-16 unit that `uXXXX` at `at` writes. */
function unitAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x75) return NO;
  let unit = 0;
  for (let place = at + 1; place < at + 5; place += 1) {
    const byte = bytes[place] ?? 0;
    const letter = byte | 0x20;
    if (byte >= ZERO && byte <= 0x39) unit = unit * 16 + byte - ZERO;
    else if (letter >= 0x61 && letter <= 0x66) unit = unit * 16 + letter - 0x57;
    else return NO;
  }
  return unit;
}

/** @param at a minus or a digit, else NO */
export function numberEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at] === MINUS ? at + 1 : at;
  let end = bytes[first] === ZERO ? first + 1 : digitsEnd(bytes, first);
  if (end === first) return NO;
  if (bytes[end] === 0x2e) {
    const fraction = end + 1;
    end = digitsEnd(bytes, fraction);
    if (end === fraction) return NO;
  }
  if (((bytes[end] ?? 0) | 0x20) !== 0x65) return end;
  const exponent = bytes[end + 1] === MINUS || bytes[end + 1] === 0x2b ? end + 2 : end + 1;
  end = digitsEnd(bytes, exponent);
  return end === exponent ? NO : end;
}

/** The first byte at or after `from` that is no digit. */
export function digitsEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let byte = bytes[at] ?? 0; byte >= ZERO && byte <= 0x39; byte = bytes[at] ?? 0) at += 1;
  return at;
}

function scalarEnd(bytes: Uint8Array, at: number): number {
  switch (bytes[at]) {
    case QUOTE: {
      const end = stringEnd(bytes, at + 1);
      return end === NO ? NO : end + 1;
    }
    case 0x74:
      return wordEnd(bytes, at, TRUE);
    case 0x66:
      return wordEnd(bytes, at, FALSE);
    case 0x6e:
      return wordEnd(bytes, at, NULL);
    default:
      return numberEnd(bytes, at);
  }
}

const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];

function wordEnd(bytes: Uint8Array, at: number, word: Uint8Array): number {
  for (let place = 0; place < word.length; place += 1) if (bytes[at + place] !== word[place]) return NO;
  return at + word.length;
}

/** Values in one another that are judged here; what is deeper is left to others. */
const DEEPEST = 512;
/** How each open object or list began; used by one call at a time. */
const open = new Uint8Array(DEEPEST);

/** Any value, of any nesting up to DEEPEST; no recursion. */
export function valueEnd(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; ; ) {
    const byte = bytes[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      const inside = skipBlanks(bytes, at + 1);
      if (bytes[inside] === closing(byte)) at = inside + 1;
      else {
        if (depth === DEEPEST) return NO;
        open[depth] = byte;
        depth += 1;
        at = byte === OPEN_BRACE ? memberValue(bytes, inside) : inside;
        if (at === NO) return NO;
        continue;
      }
    } else {
      at = scalarEnd(bytes, at);
      if (at === NO) return NO;
    }
    for (;;) {
      if (depth === 0) return at;
      const next = skipBlanks(bytes, at);
      const around = open[depth - 1] ?? 0;
      if (bytes[next] === COMMA) {
        const behind = skipBlanks(bytes, next + 1);
        at = around === OPEN_BRACE ? memberValue(bytes, behind) : behind;
        if (at === NO) return NO;
        break;
      }
      if (bytes[next] !== closing(around)) return NO;
      depth -= 1;
      at = next + 1;
    }
  }
}

function closing(opening: number): number {
  return opening === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
}

/** Where the value of the member begins whose name begins at `at`. */
function memberValue(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return NO;
  const end = stringEnd(bytes, at + 1);
  return end === NO ? NO : afterColon(bytes, end + 1);
}

/** Behind the colon at or after `at` and the blanks around it. */
export function afterColon(bytes: Uint8Array, from: number): number {
  const at = skipBlanks(bytes, from);
  return bytes[at] === COLON ? skipBlanks(bytes, at + 1) : NO;
}
