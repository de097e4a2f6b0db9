import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { blocksOf } from '../../../scripts/docs/blocks.ts';
import { linkProblems } from '../../../scripts/docs/links.ts';
import { namedThings } from '../../../scripts/docs/named-things.ts';
import { nameProblems } from '../../../scripts/docs/names.ts';
import { pages } from '../../../scripts/docs/tree.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { startProgram } from '../../../src/adapters/processes/program.ts';
import { raiseLoopback } from '../../e2e/compose/loopback.ts';
import { freshCopy, startCopy } from './copy.ts';
import { forgottenBlocks, STAYS } from './fates.ts';
import { unreadable } from './parsed.ts';
import { type Typed, typePage } from './typing.ts';

/**
 * `npm run docs:check [-- --page docs/mcp.md --page README.md]`: every block of every page is read as its fence says, every name and link
 * is looked up, and every shell block that is not excused (fates.ts) is typed in a fresh copy with `npm start`, in a
 * network of its own, so that the ports are those of the pages. `--built` spares the copy its build.
 */
const OWN_NETWORK = 'WRIT_DOCS_OWN_NETWORK';
const { values } = parseArgs({
  options: {
    page: { type: 'string', multiple: true },
    built: { type: 'boolean', default: false },
    evidence: { type: 'string', default: evidencePath('docs') },
  },
});
const say = (text: string): void => void process.stderr.write(`${text}\n`);

if (process.env[OWN_NETWORK] === undefined) {
  const rights = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const words = [...rights, '--net', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { exitCode } = await startProgram('unshare', words, { cwd: packageRoot(), stdio: 'inherit', env: { [OWN_NETWORK]: '1' } });
  process.exitCode = exitCode ?? 3;
} else {
  raiseLoopback();
  await check();
}

async function check(): Promise<void> {
  const startedAt = Date.now();
  const problems = await readAll();
  const typed = await typeAll();
  problems.push(...typed.flatMap((one) => one.problems));
  for (const problem of problems) say(problem);
  const counts = typed.map(({ page, blocks }) => ({ page, blocks }));
  say(`${problems.length} problems in ${counts.reduce((sum, { blocks }) => sum + blocks, 0)} typed blocks of ${counts.length} pages`);
  if (values.page === undefined) {
    writeEvidence(values.evidence, { suite: 'docs', passed: problems.length === 0, typed: counts, minutes: minutesSince(startedAt), commit: revision() });
  }
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** What needs no running Writ: links, names, languages, and that no page with a shell block was forgotten. */
async function readAll(): Promise<string[]> {
  const blocks = pages(packageRoot()).flatMap(({ file, text }) => blocksOf(text).map((block) => ({ file, block })));
  return [
    ...linkProblems(),
    ...nameProblems(await namedThings()),
    ...blocks.flatMap(({ file, block }) => {
      const why = unreadable(block);
      return why === undefined ? [] : [`${file}:${block.line}: ${why}`];
    }),
    ...forgottenBlocks(blocks),
  ];
}

async function typeAll(): Promise<Typed[]> {
  const typed: Typed[] = [];
  for (const [at, stay] of STAYS.entries()) {
    const wanted = stay.pages.filter((page) => values.page === undefined || values.page.includes(page));
    if (wanted.length === 0) continue;
    const home = mkdtempSync(path.join(tmpdir(), 'writ-docs-'));
    try {
      say(`a fresh copy for ${wanted.join(', ')}`);
      const copy = await freshCopy(home, `writ${at}`, values.built);
      const stop = await startCopy(copy, stay);
      try {
        for (const page of wanted) typed.push(await typePage(copy, page));
      } finally {
        await stop();
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  return typed;
}
