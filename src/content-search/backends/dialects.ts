import type { BackendDialect, BackendKind, BackendQuery } from '../../core/ports/index.ts';

/** What both backends call a file that they get by descriptor. */
export const STDIN_NAME = '<stdin>';

/**
 * What each backend is told (local-search-index.md 8 and G). Both get the same job: text in, one record `PATH NUL LINE
 * (:|-) text LF` for each line out, files in the order of the arguments.
 *
 * Measured with ugrep 3.11.2, ripgrep 13.0.0 and 15.0.0 on files with NUL, invalid UTF-8, CR, CRLF, BOMs, no final line
 * end, no content, escapes and odd names (test/integration/content-search/backends.test.ts repeats it):
 * - The two ripgreps answer alike. ugrep answers like them for literals and plain expressions, context and empty lines
 *   included. A line without an end gets one; CR stays in the text; a file in UTF-16 with BOM comes as UTF-8.
 * - `-a` on both: a NUL is a byte of its line. Without it ugrep says "Binary file matches" and ripgrep splits lines there.
 * - `-Y` for expressions makes ugrep match the empty string (`x*`), as ripgrep does.
 * - `--no-mmap`: a file that shrinks while it is mapped ends the process by SIGBUS.
 * - `-m K` with context differs behind the K-th match only; K is one more than the most events, so nobody sees it.
 * - `-` is standard input. ripgrep calls it `<stdin>`; ugrep is told to, by `--label`.
 * - The locale changes nothing in either.
 * Where they differ, they are left to: see docs/search-backends.md.
 */
export const DIALECTS = {
  ugrep: {
    kind: 'ugrep',
    version: /ugrep\s+(\d+)\.(\d+)(?:\.(\d+))?/,
    oldest: [3, 0, 0],
    options: (query) => [
      ...['-a', '-n', '-H', '-0', '-J1', '--color=never', '--no-group-separator', '--no-mmap', `--label=${STDIN_NAME}`],
      ...(query.fixedStrings ? ['-F'] : query.fuzzy === 0 ? ['-Y'] : []),
      ...(query.fuzzy === 0 ? [] : [`-Z${query.fuzzy}`]),
      ...common(query),
    ],
  },
  rg: {
    kind: 'rg',
    version: /ripgrep\s+(\d+)\.(\d+)(?:\.(\d+))?/,
    oldest: [13, 0, 0],
    options: (query) => [
      ...['--no-config', '--color=never', '--no-heading', '-a', '-n', '-H', '-0', '--no-context-separator', '--no-mmap', '-j1'],
      ...(query.fixedStrings ? ['-F'] : []),
      ...common(query),
    ],
  },
} as const satisfies Record<BackendKind, BackendDialect>;

/** Options that both call the same. */
function common({ ignoreCase, wordRegexp, context, maxCount, pattern }: BackendQuery): readonly string[] {
  return [...(ignoreCase ? ['-i'] : []), ...(wordRegexp ? ['-w'] : []), ...(context > 0 ? ['-C', String(context)] : []), '-m', String(maxCount), '-e', pattern];
}
