import { packageRoot } from '../../config/package.ts';
import { commandProblem, isClientMember, type NamedThings } from './named-things.ts';
import { shellCommands } from './shell-words.ts';
import { pages, type TreeFile } from './tree.ts';

/** Pages that speak of what was, measures of the benchmarks, and what the product's tables wrote. */
const HISTORY = /^(?:CHANGELOG\.md|docs\/(?:performance\.md|decisions\/|generated\/))/;
/** A name of the browser's, not of a metric. */
const COOKIE = 'writ_session';
/** With what a program hangs on to the name: `worker.log.1`. */
const FILE = /\.(?:ts|js|sql|conf|jsonl?|toml|db)$|\.(?:ndjson|log)(?:\.[a-z0-9]+)?$/;
/** One backtick on each side, on one line. */
const SPAN = /(?<!`)`([^`\n]+)`(?!`)/g;

/** Commands, settings, metrics and methods that pages name and the product does not have, one sentence each. */
export function nameProblems(things: NamedThings, root = packageRoot()): string[] {
  return wrongNames(
    pages(root).filter(({ file }) => !HISTORY.test(file)),
    things,
  );
}

/** The same for these files: code spans, and the lines of their shell blocks. */
export function wrongNames(files: readonly TreeFile[], things: NamedThings): string[] {
  return files.flatMap(({ file, text }) =>
    spoken(text).flatMap(({ line, words, isCommand }) => {
      const problem = isCommand ? commandsProblem(words, things) : spanProblem(words, things);
      return problem === undefined ? [] : [`${file}:${line}: ${problem}`];
    }),
  );
}

interface Spoken {
  readonly line: number;
  readonly words: string;
  /** A line of a shell block; otherwise a code span. */
  readonly isCommand: boolean;
}

const FENCE = /^ *(?:```|~~~)(\w*)/;

function spoken(text: string): Spoken[] {
  let fence: string | undefined;
  return text.split('\n').flatMap((words, index): Spoken[] => {
    const line = index + 1;
    const mark = FENCE.exec(words);
    if (mark !== null) {
      fence = fence === undefined ? (mark[1] ?? '') : undefined;
      return [];
    }
    if (fence === undefined) return [...words.matchAll(SPAN)].map(([, span = '']) => ({ line, words: span, isCommand: false }));
    if (fence === 'sh') return [{ line, words, isCommand: true }];
    return fence === '' && /^\$ /.test(words) ? [{ line, words: words.slice(2), isCommand: true }] : [];
  });
}

function commandsProblem(line: string, { program }: NamedThings): string | undefined {
  for (const [name, ...words] of shellCommands(line)) {
    const problem = name === 'writ' ? commandProblem(program, words) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function spanProblem(span: string, things: NamedThings): string | undefined {
  if (/^writ [a-z-]/.test(span)) return commandsProblem(span, things);
  const [, member] = /^client\.([\w.]+)/.exec(span) ?? [];
  if (member !== undefined) return isClientMember(things.client, member) ? undefined : `the client has no ${member}`;
  const [, metric] = /^(writ_[a-z_]+)(?:\{.*\})?$/.exec(span) ?? [];
  if (metric !== undefined) return things.metrics.has(metric) || metric === COOKIE ? undefined : `there is no metric ${metric}`;
  const [name = '', section = ''] = /^([a-z]+)(?:\.[a-z_0-9]+)+$/.exec(span) ?? [];
  const isSetting = things.settings.has(section) && !FILE.test(name) && !things.others.has(name) && !isClientMember(things.client, name);
  return isSetting && !things.settings.has(name) ? `there is no setting ${name}` : undefined;
}
