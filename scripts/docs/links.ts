import { existsSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../config/package.ts';
import { type Page, parsePage } from './markdown.ts';
import { pages, readersOfPages, type TreeFile } from './tree.ts';

/** Pages that code names in words: `docs/leases.md`. */
const NAMED_PAGE = /(?<![\w/.-])docs\/[\w./-]+\.md\b/g;

/** The one page that speaks of files as they were. */
const HISTORY = 'CHANGELOG.md';

/** Links of pages that lead nowhere, paths of the tree that pages name, and pages that sources name, where they are not there; one sentence each. */
export function linkProblems(root = packageRoot()): string[] {
  const exists = (file: string): boolean => existsSync(path.join(root, file));
  const written = pages(root);
  return [
    ...brokenLinks(written, exists),
    ...missingPaths(
      written.filter(({ file }) => file !== HISTORY),
      exists,
    ),
    ...missingPages(readersOfPages(root), exists),
  ];
}

/**
 * Relative links whose file is missing, and anchors that no heading of the page has. Addresses on the web are not looked at.
 *
 * @param exists whether a path from the package root is a file or a folder
 */
export function brokenLinks(files: readonly TreeFile[], exists: (file: string) => boolean): string[] {
  const parsed = new Map(files.map(({ file, text }) => [file, parsePage(text)]));
  return [...parsed].flatMap(([file, { links }]) =>
    links.flatMap(({ line, target }) => {
      const problem = problemOf(target, file, parsed, exists);
      return problem === undefined ? [] : [`${file}:${line}: ${target} ${problem}`];
    }),
  );
}

/** Files and folders that pages name in code spans and that are not there. */
export function missingPaths(files: readonly TreeFile[], exists: (file: string) => boolean): string[] {
  return files.flatMap(({ file, text }) =>
    parsePage(text)
      .paths.filter(({ target }) => !exists(target))
      .map(({ line, target }) => `${file}:${line}: ${target} is not there`),
  );
}

/** Pages that are named in sources and not there. */
export function missingPages(files: readonly TreeFile[], exists: (file: string) => boolean): string[] {
  return files.flatMap(({ file, text }) =>
    [...new Set(text.match(NAMED_PAGE) ?? [])].filter((page) => !exists(page)).map((page) => `${file} names ${page}, which is not there`),
  );
}

function problemOf(target: string, from: string, parsed: ReadonlyMap<string, Page>, exists: (file: string) => boolean): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [name = '', anchor] = target.split('#', 2);
  const file = name === '' ? from : path.posix.join(path.posix.dirname(from), decodeURI(name)).replace(/\/$/, '');
  if (file.startsWith('..') || !exists(file)) return 'leads to no file';
  if (anchor === undefined) return undefined;
  const page = parsed.get(file);
  if (page === undefined) return undefined;
  return page.anchors.has(decodeURI(anchor)) ? undefined : 'leads to no heading';
}
