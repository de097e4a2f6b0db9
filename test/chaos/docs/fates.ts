import type { Block } from '../../../scripts/docs/blocks.ts';

/** Pages whose shell blocks are typed, one shell for each, while one `npm start` runs in a fresh copy. */
export interface Stay {
  readonly pages: readonly string[];
  /** Pages whose `toml` blocks are settings of this start. */
  readonly settings?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Every page with shell blocks is in one of them. README and tutorial push the same task, so each has a start of its own. */
export const STAYS: readonly Stay[] = [
  { pages: ['README.md', 'CONTRIBUTING.md', 'docs/content-search.md', 'docs/http.md', 'docs/mcp.md', 'docs/runbooks/README.md'] },
  { pages: ['docs/tutorial.md'] },
  { pages: ['docs/plans.md', 'docs/search-executor.md', 'docs/operations.md', 'docs/monitoring.md', 'docs/security.md', 'docs/messages-import.md'] },
  { pages: ['docs/tracing.md'], env: { WRIT_TRACING__ENABLED: 'true' } },
  { pages: ['docs/search-index.md'], settings: ['docs/search-index.md'] },
  { pages: ['docs/cli.md', 'docs/tui.md', 'docs/vectors.md', 'docs/search-quality.md'] },
];

/** Shell blocks that are not typed, by page and beginning, and why; their names are checked as all others are. */
const UNTYPED: readonly { readonly page: RegExp; readonly begins: string; readonly why: string }[] = [
  { page: /README|CONTRIBUTING/, begins: 'npm ', why: 'it starts and tests the copy itself' },
  { page: /tutorial/, begins: 'git clone', why: 'the copy is that clone, already started' },
  { page: /tutorial/, begins: 'rm -rf .writ', why: 'the copy goes as a whole' },
  { page: /content-search/, begins: 'curl', why: 'the key and the roots are those of the settings above it' },
  { page: /messages-import/, begins: '', why: 'the mail is the reader’s' },
  { page: /operations/, begins: 'npm start', why: 'the copy is started already' },
  { page: /operations/, begins: 'npm install', why: 'test:long package' },
  { page: /operations/, begins: 'kill <pid', why: 'the reader fills it in' },
  { page: /operations/, begins: 'tar -C /', why: 'the reader fills it in' },
  { page: /monitoring/, begins: 'prometheus ', why: 'it stays in the foreground; promtool reads its file in the tests' },
  { page: /monitoring/, begins: 'umask', why: 'test:long containers' },
  { page: /monitoring/, begins: 'key=$(docker', why: 'test:long containers' },
  { page: /search-index/, begins: 'sysctl', why: 'it changes this host' },
  { page: /tracing/, begins: 'node receiver.mjs', why: 'both are running' },
  { page: /tui/, begins: '', why: 'it wants a terminal; the tests drive it in tmux' },
  { page: /vectors/, begins: '', why: 'it fetches a package' },
  { page: /search-quality|reliability|benchmarks/, begins: '', why: 'suites of their own' },
  { page: /runbooks\/Writ/, begins: '', why: 'for a host in trouble, with names that the reader fills in' },
];

/** Commands that end with another code than 0, as their page says. */
export const FAILING: readonly string[] = ['writ push - --sign --wait', 'writ push second.json', 'raw-producer.py connection.json forged.json'];

/** What must be there before the shell of a page is opened. */
export const BEFORE: Readonly<Record<string, string>> = {
  'docs/security.md': 'cp deploy/redis/users.conf users.conf; touch redis.conf',
  'docs/tracing.md': 'node receiver.mjs > receiver.log & receiver=$!; trap "kill $receiver" EXIT',
};

/** Why a shell block is not typed; `undefined` for one that is. */
export function untypedFor(page: string, { text }: Block): string | undefined {
  return UNTYPED.find((one) => one.page.test(page) && text.trimStart().startsWith(one.begins))?.why;
}

/** Shell blocks that nobody types and nothing excuses, by page and line. */
export function forgottenBlocks(all: readonly { readonly file: string; readonly block: Block }[]): string[] {
  const known = new Set(STAYS.flatMap((stay) => stay.pages));
  return all
    .filter(({ file, block }) => block.language === 'sh' && !known.has(file) && untypedFor(file, block) === undefined)
    .map(({ file, block }) => `${file}:${block.line}: nobody types this block; the page belongs into test/chaos/docs/fates.ts`);
}
