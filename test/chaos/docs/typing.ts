import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Block, blocksOf } from '../../../scripts/docs/blocks.ts';
import { ran } from '../package/ran.ts';
import { BEFORE, FAILING, untypedFor } from './fates.ts';

/** Pages that show what their commands answer, word for word. */
const COMPARED = ['docs/tutorial.md'];

export interface Typed {
  readonly page: string;
  readonly blocks: number;
  /** Commands that failed and should not have, with their blocks' lines. */
  readonly problems: readonly string[];
}

/** Types the shell blocks of a page into one bash, in their order, in a copy in which Writ runs. Every command must end with 0. */
export async function typePage(copy: string, page: string): Promise<Typed> {
  const blocks = blocksOf(readFileSync(path.join(copy, page), 'utf8'));
  for (const block of blocks) keepNamedFile(copy, block);
  const typed = blocks.filter((block) => block.language === 'sh' && untypedFor(page, block) === undefined);
  if (typed.length === 0) return { page, blocks: 0, problems: [] };
  const folder = path.join(copy, '.typed');
  mkdirSync(folder, { recursive: true });
  const failures = path.join(folder, 'failures');
  writeFileSync(failures, '');
  const script = typed.map(({ line, text }) => {
    const file = path.join(folder, `${line}.sh`);
    writeFileSync(file, `${text}\n`);
    return `block=${line}; { . ${file}; } > ${file}.out 2>&1`;
  });
  const trap = `set -E; trap 'printf "%s: %s ended with %s\\n" "$block" "$BASH_COMMAND" "$?" >> ${failures}' ERR`;
  const env = { PATH: `${copy}/node_modules/.bin:${process.env['PATH']}` };
  const { out, err } = await ran('bash', ['-c', [BEFORE[page] ?? ':', trap, ...script].join('\n')], copy, env);
  const problems = readFileSync(failures, 'utf8')
    .split('\n')
    // A block that ends with a failure fails as a whole, too: the command itself was told.
    .filter((line) => !/^(?:\d+: \. .*)?$/.test(line) && !FAILING.some((words) => line.includes(words)))
    .map((line) => `${page}:${line}`);
  const said = ({ line }: Block): string => readIfSaid(path.join(folder, `${line}.sh.out`));
  if (COMPARED.includes(page))
    problems.push(...typed.flatMap((block) => unlike(answerShown(blocks, block), said(block)).map((line) => `${page}:${block.line}: does not say: ${line}`)));
  return {
    page,
    blocks: typed.length,
    problems: problems.length === 0 ? [] : [...problems, `${typed.map(said).join('').slice(-3000)}${out.slice(-3000)}${err.slice(-3000)}`],
  };
}

/** The answer that a page shows: a block without a language, right after the commands. */
function answerShown(blocks: readonly Block[], commands: Block): string {
  const next = blocks[blocks.indexOf(commands) + 1];
  return next?.language === '' ? next.text : '';
}

/** Lines of a shown answer that were not said. Figures, columns and moments are others each time; after `…` comes anything. */
function unlike(shown: string, said: string): string[] {
  const lines = said.split('\n').map(timeless);
  return shown.split('\n').filter((line) => {
    const [begin = ''] = line.split('…');
    return line.trim() !== '' && !lines.some((one) => (line.includes('…') ? one.startsWith(timeless(begin)) : one === timeless(line)));
  });
}

function timeless(line: string): string {
  return line
    .replaceAll(/\d+(?:\.\d+)?/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function readIfSaid(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** `// receiver.mjs` at its top: the reader keeps the block under this name. */
function keepNamedFile(copy: string, { language, text }: Block): void {
  const [, name] = /^\/\/ ([\w-]+\.mjs)\n/.exec(text) ?? [];
  if (language === 'js' && name !== undefined) writeFileSync(path.join(copy, name), `${text}\n`);
}
