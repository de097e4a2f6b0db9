import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import { productFiles } from './tree.ts';

const FILE = 'docs/glossary.md';

/** One line of docs/glossary.md. */
export interface Term {
  readonly term: string;
  /** What the code calls it: the code spans of the second column. */
  readonly names: readonly string[];
}

/** What is wrong with docs/glossary.md, one sentence each. */
export function glossaryProblems(root = packageRoot()): string[] {
  const terms = parseGlossary(readFileSync(path.join(root, FILE), 'utf8'));
  if (terms.length === 0) return [`${FILE} has no table of terms`];
  return [...missingNames(terms, wordsOf(productFiles(root).map(({ text }) => text))), ...orderProblems(terms)];
}

/** Reads the rows of every table whose second column is headed `name in the code`. */
export function parseGlossary(markdown: string): Term[] {
  const terms: Term[] = [];
  let within = false;
  for (const line of markdown.split('\n')) {
    const cells = line.startsWith('|') ? line.split('|').map((cell) => cell.trim()) : [];
    const [, term = '', code = ''] = cells;
    if (code === 'name in the code') within = true;
    else if (cells.length === 0) within = false;
    else if (within && !/^:?-+:?$/.test(term)) terms.push({ term, names: [...code.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) });
  }
  return terms;
}

/** Names that no source has as a word. A term without a name is a word for people only, and says so with a dash. */
export function missingNames(terms: readonly Term[], words: ReadonlySet<string>): string[] {
  return terms.flatMap(({ term, names }) =>
    names.flatMap((name) =>
      partsOf(name).every((part) => words.has(part)) ? [] : [`${FILE}: '${term}' is called \`${name}\` there, a name that no source has`],
    ),
  );
}

/** Terms that stand there twice, or not in the order of the alphabet. */
export function orderProblems(terms: readonly Term[]): string[] {
  const keys = terms.map(({ term }) => term.toLowerCase());
  return keys.flatMap((key, index) => {
    const before = keys[index - 1];
    if (before === undefined || before < key) return [];
    return [before === key ? `${FILE}: '${key}' stands there twice` : `${FILE}: '${key}' belongs before '${before}'`];
  });
}

/** Words of the sources' code; comments do not count. */
export function wordsOf(sources: readonly string[]): Set<string> {
  const words = new Set<string>();
  for (const source of sources) {
    const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*(?:\/\/|--).*$/gm, '');
    for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) words.add(word);
  }
  return words;
}

/** `task.lease_expires` names two words, `writ-lease+jws` three. */
function partsOf(name: string): string[] {
  return name.split(/[^\w$]+/).filter((part) => part !== '');
}
