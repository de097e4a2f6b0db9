/** Somebody in a From, To, Cc or Bcc. */
export interface Address {
  /** Lower case: domains have no case, and no mailbox of today tells its users apart by it. */
  readonly address: string;
  /** As it stands in the field: encoded words and quoting are the reader's business. `''`: none. */
  readonly display: string;
}

/**
 * The addresses of a field (RFC 5322 3.4), groups opened, comments left out. What is no address is left out: mail in the
 * wild has `undisclosed-recipients:;` and worse.
 *
 * @param raw unfolded, one character for each byte
 */
export function addressesOf(raw: string): readonly Address[] {
  return tokensOf(raw.replaceAll(/\r?\n/g, '')).flatMap((token) => {
    const [, display = '', inner] = /^(.*?)<([^<>]*)>\s*$/s.exec(token) ?? [];
    const address = (inner ?? token).trim().toLowerCase();
    return !CONTROL.test(address) && (/^\S+@\S+$/.test(address) || /^[^\s@,;]+$/.test(address))
      ? [{ address, display: inner === undefined ? '' : display.trim() }]
      : [];
  });
}

const CONTROL = /\p{Cc}/u;

/** Split at commas, at the colon of a group's name and at its semicolon, outside of quotes, brackets and comments. */
function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  let token = '';
  let [isQuoted, isBracketed, comments] = [false, false, 0];
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i] ?? '';
    if (char === '\\' && (isQuoted || comments > 0)) {
      if (comments === 0) token += char + (text[i + 1] ?? '');
      i += 1;
    } else if (isQuoted) {
      isQuoted = char !== '"';
      token += char;
    } else if (char === '(') comments += 1;
    else if (comments > 0) comments -= char === ')' ? 1 : 0;
    else if (isBracketed) {
      isBracketed = char !== '>';
      token += char;
    } else if (char === ',' || char === ';') {
      tokens.push(token);
      token = '';
    } else if (char === ':') token = '';
    else {
      isQuoted = char === '"';
      isBracketed = char === '<';
      token += char;
    }
  }
  return [...tokens, token].map((one) => one.trim()).filter((one) => one !== '');
}

/** A display name without its quotes, not yet decoded. */
export function unquoted(display: string): string {
  const inner = /^"(.*)"$/s.exec(display)?.[1];
  return inner === undefined ? display : inner.replaceAll(/\\(.)/gs, '$1');
}
