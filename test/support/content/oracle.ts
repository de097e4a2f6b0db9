import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ContentSearchRequest } from '../../../src/contracts/index.ts';
import type { BackendKind, ContentSearchOutcome, SearchBackend } from '../../../src/core/ports/index.ts';
import { createRandom, type Random } from '../random.ts';
import { type RandomPattern, randomOptions, randomPattern } from './random-request.ts';
import { plantTree } from './random-tree.ts';
import { type Pattern, printed } from './reference-pattern.ts';
import { type ReferenceEvent, type ReferenceRequest, referenceSearch } from './reference-search.ts';
import { searching } from './rig.ts';

export interface OracleOptions {
  readonly seed: number;
  /** A directory that belongs to the oracle. */
  readonly folder: string;
  readonly backends: Readonly<Record<BackendKind, SearchBackend>>;
  readonly trees: number;
  readonly requestsPerTree: number;
}

export interface OracleCount {
  readonly trees: number;
  readonly requests: number;
  readonly events: number;
  readonly truncated: number;
  readonly refused: number;
}

/** Generated trees and requests: the tool with the real backends says what the reference says. Throws at the first difference, with its seed. */
export async function runOracle({ seed, folder, backends, trees, requestsPerTree }: OracleOptions): Promise<OracleCount> {
  const count = { trees: 0, requests: 0, events: 0, truncated: 0, refused: 0 };
  for (let tree = 0; tree < trees; tree += 1) {
    const random = createRandom(seed + tree);
    const root = path.join(folder, 'tree');
    mkdirSync(root);
    plantTree(random, root);
    const paths = placesOf(root);
    for (let turn = 0; turn < requestsPerTree; turn += 1) {
      const found = await compareOnce(random, root, paths, backends[random.pick(['rg', 'ugrep'] as const)], `seed ${seed + tree}, request ${turn}`);
      count.requests += 1;
      count.events += found.events;
      count.truncated += found.truncated ? 1 : 0;
      count.refused += found.refused ? 1 : 0;
    }
    rmSync(root, { recursive: true });
    count.trees += 1;
  }
  return count;
}

/** Random requests on a tree that was made by people: words that stand in its files, and what looks like them. */
export async function runOnRealTree(options: Omit<OracleOptions, 'trees' | 'requestsPerTree'> & { readonly requests: number }): Promise<OracleCount> {
  const { seed, folder: root, backends, requests } = options;
  const random = createRandom(seed);
  const paths = placesOf(root);
  const files = paths.filter((place) => lstatSync(path.join(root, place)).isFile());
  const choose = (): RandomPattern => ({
    pattern: { kind: 'text', text: wordIn(random, path.join(root, random.pick(files))) },
    fixedStrings: random.chance(0.5),
  });
  const count = { trees: 1, requests: 0, events: 0, truncated: 0, refused: 0 };
  for (let turn = 0; turn < requests; turn += 1) {
    const found = await compareOnce(random, root, paths, backends[random.pick(['rg', 'ugrep'] as const)], `seed ${seed}, request ${turn}`, choose);
    count.requests += 1;
    count.events += found.events;
    count.truncated += found.truncated ? 1 : 0;
    count.refused += found.refused ? 1 : 0;
  }
  return count;
}

/** A word of a file, now and then with a letter more, so that nothing is found. */
function wordIn(random: Random, file: string): string {
  const words = readFileSync(file, 'utf8').match(/[A-Za-z_.(){}=]{3,20}/g) ?? ['nothing'];
  return random.pick(words) + (random.chance(0.1) ? 'q' : '');
}

/** Everything in the tree that a request can name: links among them, nothing behind links. What the reference is told is UTF-8. */
function placesOf(root: string, directory = ''): string[] {
  return readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(directory, entry.name);
    // Node shows bytes that are not UTF-8 like this too, and then it is the name of something else.
    if (entry.name.includes('\ufffd')) return [];
    if (!existsSync(path.join(root, place)) || !isUtf8(realpathSync.native(path.join(root, place), { encoding: 'buffer' }))) return [];
    return entry.isDirectory() ? [place, ...placesOf(root, place)] : [place];
  });
}

interface Compared {
  readonly events: number;
  readonly truncated: boolean;
  readonly refused: boolean;
}

async function compareOnce(
  random: Random,
  root: string,
  paths: readonly string[],
  backend: SearchBackend,
  where: string,
  choose: (random: Random, backend: BackendKind) => RandomPattern = randomPattern,
): Promise<Compared> {
  const { pattern, fixedStrings } = choose(random, backend.kind);
  const options = randomOptions(random);
  const globalIgnore = random.chance(0.2) ? '*.log\nbuild/\n' : undefined;
  const named = paths.length === 0 || random.chance(0.5) ? undefined : random.pick(paths);
  const wordRegexp = options.wordRegexp && !(backend.kind === 'ugrep' && isAnchored(pattern));
  const request: ContentSearchRequest = {
    pattern: fixedStrings && pattern.kind === 'text' ? pattern.text : printed(pattern),
    ...(named === undefined ? {} : { path: named }),
    case: options.case,
    fixed_strings: fixedStrings,
    word_regexp: wordRegexp,
    hidden: options.hidden,
    follow: options.follow,
    no_ignore: options.noIgnore,
    glob: [...options.globs],
    context: options.context,
    max_results: options.maxResults,
  };
  const tell = (said: string): Error => new Error(`${where}, ${backend.id}: ${said}\n${JSON.stringify({ request, globalIgnore, root })}`);
  const outcome = await searching({ root, backend, globalIgnore }, request);
  const real = realpathSync.native(path.join(root, named ?? '.'));
  const refusal = refusalFor(root, named, real);
  if (refusal !== undefined) {
    if (outcome.ok || outcome.error.code !== refusal) throw tell(`is not refused with ${refusal}: ${JSON.stringify(outcome)}`);
    return { events: 0, truncated: false, refused: true };
  }
  const wanted: ReferenceRequest = {
    ...options,
    orderRoot: root,
    allowedRoots: [root],
    start: path.relative(root, real),
    globalIgnore,
    pattern,
    backend: backend.kind,
    wordRegexp,
    ignoreCase: options.case === 'insensitive' || (options.case === 'smart' && ownCharacters(pattern) !== '' && !/\p{Uppercase}/u.test(ownCharacters(pattern))),
  };
  const reference = referenceSearch(wanted);
  const difference = differenceOf(outcome, reference.events, reference.truncated);
  if (difference !== undefined) throw tell(difference);
  return { events: reference.events.length, truncated: reference.truncated, refused: false };
}

/** The code with which a request path is refused: links that lead out, reserved names, denied names. */
function refusalFor(root: string, named: string | undefined, real: string): string | undefined {
  if (!`${real}/`.startsWith(`${root}/`)) return 'BadArgs';
  const names = [named ?? '', real.slice(root.length)].flatMap((text) => text.split('/'));
  // A directory of which everything is denied is denied itself.
  const end = statSync(real).isDirectory() ? '/' : '';
  const denied = [`${root}/${named ?? ''}${end}`, `${real}${end}`].some((at) =>
    /\/(?:\.ssh|\.gnupg)\/|\/id_rsa[^/]*(?:\/|$)|\/[^/]*\.(?:pem|key)(?:\/|$)/.test(at),
  );
  return denied || names.some((name) => name.startsWith('.writ-')) ? 'ExecutionFailed' : undefined;
}

function differenceOf(outcome: ContentSearchOutcome, events: readonly ReferenceEvent[], truncated: boolean): string | undefined {
  if (!outcome.ok) return `refused: ${JSON.stringify(outcome.error)}`;
  const got = outcome.answer.matches.map(({ type, data }) => ({ type, path: data.path.text, line: data.line_number, text: data.lines.text }));
  const [have, want] = [got, events].map((list) => list.map((event) => JSON.stringify([event.type, event.path, event.line, event.text])));
  if (JSON.stringify(have) !== JSON.stringify(want)) {
    const missing = want?.filter((event) => have?.includes(event) !== true);
    const extra = have?.filter((event) => want?.includes(event) !== true);
    return `events differ: missing ${short(missing)}; extra ${short(extra)}; stderr ${outcome.answer.stderr ?? ''}`;
  }
  if (outcome.answer.truncated !== truncated) return `truncated is ${outcome.answer.truncated}`;
  if (outcome.answer.count !== events.length) return `count is ${outcome.answer.count}`;
  const exit = events.length > 0 ? 0 : outcome.answer.stderr === undefined ? 1 : 2;
  return outcome.answer.exit_code === exit ? undefined : `exit_code is ${outcome.answer.exit_code}`;
}

const short = (events: readonly string[] | undefined): string =>
  (events ?? [])
    .slice(0, 5)
    .map((event) => event.slice(0, 300))
    .join(' ');

function isAnchored(pattern: Pattern): boolean {
  return pattern.kind === 'sequence' && pattern.parts.some(({ kind }) => kind === 'begin' || kind === 'end');
}

/** The characters that stand for themselves: smart case ignores case if there are some and none is upper case. */
function ownCharacters(pattern: Pattern): string {
  switch (pattern.kind) {
    case 'text':
      return pattern.text;
    case 'set':
      return pattern.members.flat().join('');
    case 'sequence':
    case 'either':
      return pattern.parts.map(ownCharacters).join('');
    case 'repeat':
      return ownCharacters(pattern.part);
    default:
      return '';
  }
}
