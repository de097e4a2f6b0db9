/** A header value with parameters (RFC 2045 5.1), both in lower case up to the parameters' values. */
export interface StructuredValue {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Reads `value; name=value; name="quoted value"`. Comments are dropped, of a repeated parameter the first counts, and
 * sections and charsets of RFC 2231 are put together. Never throws: what makes no sense is left out.
 *
 * @param text the header's value, unfolded
 */
export function readStructured(text: string): StructuredValue {
  const [first = '', ...rest] = splitPlain(withoutComments(text));
  const parameters = new Map<string, string>();
  for (const piece of rest) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (name !== '' && !parameters.has(name)) parameters.set(name, unquoted(piece.slice(equals + 1).trim()));
  }
  return { value: unquoted(first.trim()).toLowerCase(), parameters: joinSections(parameters) };
}

/** Without `(comments)`, which nest and may hold quoted pairs; an open one that never ends is no comment. */
export function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let kept = '';
  let from = 0;
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (character === '\\' && (quoted || depth > 0)) i += 1;
    else if (character === '"' && depth === 0) quoted = !quoted;
    else if (character === '(' && !quoted) {
      if (depth === 0) kept += text.slice(from, i);
      if (depth === 0) from = i;
      depth += 1;
    } else if (character === ')' && depth > 0) {
      depth -= 1;
      if (depth === 0) kept += ' ';
      if (depth === 0) from = i + 1;
    }
  }
  return kept + text.slice(from);
}

/** Splits at each `;` outside of quotes. */
function splitPlain(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (quoted && character === '\\') i += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === ';' && !quoted) {
      pieces.push(text.slice(from, i));
      from = i + 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces;
}

/** The content of a quoted string, its quoted pairs resolved; other text as it is. What follows the closing quote is dropped. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text;
  let value = '';
  for (let i = 1; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (character === '"') break;
    if (character === '\\') i += 1;
    value += text.charAt(i);
  }
  return value;
}

const SECTION = /^([^*]+)\*(\d{1,3})?(\*)?$/;

/** `name*0`, `name*1*` and `name*` of RFC 2231; a plain `name` beside them wins. */
function joinSections(parameters: Map<string, string>): Map<string, string> {
  for (const key of [...parameters.keys()]) {
    const [, name, number, percent] = SECTION.exec(key) ?? [];
    if (name === undefined || parameters.has(name) || (number !== undefined && Number(number) !== 0)) continue;
    if (number === undefined) parameters.set(name, percentDecoded(afterCharset(parameters.get(key) ?? '')));
    else parameters.set(name, sectionsFrom(parameters, name, percent !== undefined));
  }
  return parameters;
}

function sectionsFrom(parameters: ReadonlyMap<string, string>, name: string, hasCharset: boolean): string {
  let joined = '';
  for (let n = 0; ; n += 1) {
    const plain = parameters.get(`${name}*${n}`);
    const encoded = parameters.get(`${name}*${n}*`);
    if (plain !== undefined) joined += plain;
    else if (encoded !== undefined) joined += percentDecoded(n === 0 && hasCharset ? afterCharset(encoded) : encoded);
    else return joined;
  }
}

/** Without the leading `charset'language'`. */
function afterCharset(text: string): string {
  return text.replace(/^[^']*'[^']*'/, '');
}

/** One character for each byte: what is read from parameters (boundary, charset, format) is ASCII. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
