/**
 * `npm test` on a fresh machine has a part of the tests done while better-sqlite3 is still compiled, which takes one core more
 * than a minute. They need no package that is compiled (`.dependency-cruiser.cjs` holds them to that) and no dist.
 */
const EARLY = [
  ...['contracts', 'core', 'executors/plan', 'kernel', 'lease', 'observability', 'surfaces', 'messages/search'].map(
    (folder) => `test/unit/${folder}/**/*.test.ts`,
  ),
  ...['search', 'enumerate', 'backends', 'run'].map((folder) => `test/unit/content-search/${folder}/**/*.test.ts`),
  // Its test compares with the compiled xxHash.
  'test/unit/content-search/ngram-index/{segment,tokenize,query,build,watch,safety,indexer}/**/!(hash).test.ts',
  'test/property/plan/**/*.test.ts',
];
const ALL = 'test/**/*.test.ts';

/** Files of a part of the tests: `early`, `late` (all others), or all. */
export function testFiles(part: string | undefined): { readonly include: string[]; readonly exclude: string[] } {
  if (part === 'early') return { include: EARLY, exclude: [] };
  return { include: [ALL], exclude: part === 'late' ? EARLY : [] };
}
