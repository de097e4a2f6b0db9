import { TextDecoder } from 'node:util';

/** Charsets of the generated mail, by the names that mail gives them. */
export type CharsetName = 'us-ascii' | 'utf-8' | 'iso-8859-1' | 'windows-1252' | 'iso-8859-2' | 'koi8-r' | 'shift_jis';

/** The bytes of a text. Throws RangeError for a character that the charset does not have. */
export function encodeIn(charset: CharsetName, text: string): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  const codes = tables.get(charset) ?? tableOf(charset);
  tables.set(charset, codes);
  const bytes: number[] = [];
  for (const character of text) {
    const code = character < '\u0080' ? [character.charCodeAt(0)] : codes.get(character);
    if (code === undefined) throw new RangeError(`${charset} has no ${character}`);
    bytes.push(...code);
  }
  return Buffer.from(bytes);
}

type Table = ReadonlyMap<string, readonly number[]>;
const tables = new Map<CharsetName, Table>();

/** Node encodes few charsets but decodes many, so the table is made from its decoder. */
function tableOf(charset: Exclude<CharsetName, 'utf-8'>): Table {
  const table = new Map<string, readonly number[]>();
  if (charset === 'us-ascii') return table;
  const decoder = new TextDecoder(charset, { fatal: true });
  const add = (code: readonly number[]): void => {
    const character = decoded(decoder, code);
    if (character !== undefined && [...character].length === 1 && !table.has(character)) table.set(character, code);
  };
  for (let high = 0x80; high < 0x100; high += 1) add([high]);
  if (charset !== 'shift_jis') return table;
  for (let high = 0x81; high < 0xfd; high += 1) for (let low = 0x40; low < 0xfd; low += 1) add([high, low]);
  return table;
}

function decoded(decoder: TextDecoder, code: readonly number[]): string | undefined {
  try {
    return decoder.decode(Uint8Array.from(code));
  } catch {
    return undefined;
  }
}
