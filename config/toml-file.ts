import { parse, TomlError } from 'smol-toml';
import { messageOf, WritError } from '../src/core/errors.ts';

/** A TOML document and where its keys stand. */
export interface TomlDocument {
  readonly values: Record<string, unknown>;
  /** Line of a dotted key, from 1; absent for keys written in a way that the line scanner does not follow. */
  readonly lines: ReadonlyMap<string, number>;
}

/**
 * Reads TOML text.
 *
 * @param name the file's name for messages
 * @throws WritError INVALID_CONFIG with file and line
 */
export function parseToml(text: string, name: string): TomlDocument {
  try {
    return { values: parse(text), lines: keyLines(text) };
  } catch (error) {
    const place = error instanceof TomlError ? `${name}:${error.line}` : name;
    const [reason] = messageOf(error).split('\n');
    const again = error instanceof TomlError ? repeated(text, error.line) : undefined;
    throw new WritError('INVALID_CONFIG', `${place}: ${again ?? reason}`, { cause: error });
  }
}

/** Examples of the pages begin with their section, and a file of settings has every section already. */
function repeated(text: string, line: number): string | undefined {
  const lines = text.split('\n');
  const section = HEADER.exec(lines[line - 1] ?? '')?.[1];
  const first = section === undefined ? -1 : lines.findIndex((one) => HEADER.exec(one)?.[1] === section) + 1;
  return first > 0 && first < line ? `the section [${section}] stands in line ${first} already: put its keys there` : undefined;
}

const HEADER = /^\s*\[\s*([^[\]]+?)\s*\]/;
const KEY = /^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=/;

/**
 * The parser keeps no positions of keys, so headers and keys at line starts are looked for here. The result only
 * serves messages: inline tables are found at the line of their key, text inside multi-line strings may be taken for
 * a key that the document does not have.
 */
function keyLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  let table = '';
  for (const [index, line] of text.split('\n').entries()) {
    const header = HEADER.exec(line)?.[1];
    if (header !== undefined) table = dotted(header);
    const key = header ?? KEY.exec(line)?.[1];
    if (key === undefined) continue;
    const name = header !== undefined || table === '' ? dotted(key) : `${table}.${dotted(key)}`;
    if (!lines.has(name)) lines.set(name, index + 1);
  }
  return lines;
}

function dotted(key: string): string {
  return key
    .split('.')
    .map((part) => part.trim().replace(/^(["'])(.*)\1$/, '$2'))
    .join('.');
}
