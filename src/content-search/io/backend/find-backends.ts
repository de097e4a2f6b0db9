import { rgPath } from '@vscode/ripgrep';
import type { BackendDialect, BackendJob, BackendKind, SearchBackend } from '../../../core/ports/index.ts';
import { collect } from './collect.ts';
import { findProgram } from './find-program.ts';
import { type Candidate, probe } from './probe.ts';
import { runProgram } from './run-program.ts';
import { isNewEnough, type Version, versionIn } from './version.ts';

export interface FindOptions {
  /** Names or absolute paths of programs, the preferred one first. */
  readonly names: readonly string[];
  /** Directories in which names are looked up, in the form of PATH. */
  readonly searchPath: string;
  readonly dialects: Readonly<Record<BackendKind, BackendDialect>>;
  /** Look no further when as many are found; all are looked for if it is absent. */
  readonly enough?: number;
}

export interface FoundBackend {
  readonly backend: SearchBackend;
  /** File of the program. */
  readonly file: string;
}

export interface BackendsFound {
  /** At most one of a kind, in the order of preference; the ripgrep that comes with the package is the last resort. */
  readonly found: readonly FoundBackend[];
  /** What was asked for and cannot be used. */
  readonly missed: readonly { readonly name: string; readonly why: string }[];
}

/**
 * Finds the programs that search (FR-LSI-BE-01.1, FR-LSI-BE-CAP-01.1): by name, then by what they say about themselves, then by
 * what they do. Never throws: a program that is not there, too old or unusable is told in `missed`.
 */
export async function findBackends(options: FindOptions): Promise<BackendsFound> {
  const tamed = tameWith(findProgram('setpriv', options.searchPath));
  const names = [...options.names, BUNDLED];
  const inTurn = options.enough === undefined ? names.length : 1;
  const found: FoundBackend[] = [];
  const missed: { name: string; why: string }[] = [];
  for (let at = 0; at < names.length && found.length < (options.enough ?? names.length); at += inTurn) {
    for (const one of await Promise.all(names.slice(at, at + inTurn).map((name) => tryProgram(name, options, tamed)))) {
      if ('why' in one) missed.push(one);
      else if (!found.some(({ backend }) => backend.kind === one.backend.kind)) found.push(one);
    }
  }
  return { found, missed: missed.filter(({ name }) => name !== BUNDLED) };
}

/** Stands for the ripgrep of the package. */
const BUNDLED = '@vscode/ripgrep';

type Tame = (file: string) => (args: readonly string[]) => { readonly file: string; readonly args: readonly string[] };

/** A process that dies with its parent, whatever kills that: `setpriv` of util-linux arranges it and becomes the program. */
function tameWith(setpriv: string | undefined): Tame {
  return (file) => (args) => (setpriv === undefined ? { file, args } : { file: setpriv, args: ['--pdeathsig', 'KILL', '--', file, ...args] });
}

async function tryProgram(
  name: string,
  { searchPath, dialects }: FindOptions,
  tamed: Tame,
): Promise<FoundBackend | { readonly name: string; readonly why: string }> {
  const file = name === BUNDLED ? rgPath : findProgram(name, searchPath);
  if (file === undefined) return { name, why: 'not found' };
  const told = await versionOf(file, dialects);
  if (told === undefined) return { name, why: 'does not say that it is ugrep or ripgrep' };
  const { dialect, version } = told;
  if (!isNewEnough(version, dialect.oldest)) return { name, why: `version ${version.join('.')} is older than ${dialect.oldest.join('.')}` };
  const candidate = { dialect, program: tamed(file) };
  const probed = await probe(candidate);
  if (!probed.ok) return { name, why: probed.why };
  const { folding, fuzzy } = probed;
  const id = `${dialect.kind}@${version.join('.')}`;
  return { file, backend: { kind: dialect.kind, id, folding, fuzzy, fileList: 'ARGV_CHUNKED', start: (job) => start(candidate, job) } };
}

const VERSION_MS = 10_000;

async function versionOf(
  file: string,
  dialects: FindOptions['dialects'],
): Promise<{ readonly dialect: BackendDialect; readonly version: Version } | undefined> {
  const { stdout } = await collect(runProgram({ file, args: ['--version'], cwd: '/', input: 'nothing' }), VERSION_MS);
  for (const dialect of Object.values(dialects)) {
    const version = versionIn(stdout.toString(), dialect.version);
    if (version !== undefined) return { dialect, version };
  }
  return undefined;
}

function start({ dialect, program }: Candidate, { query, cwd, files, descriptor }: BackendJob): ReturnType<SearchBackend['start']> {
  const names = files.length === 0 ? ['-'] : files.map((name) => `./${name}`);
  return runProgram({ ...program([...dialect.options(query), '--', ...names]), cwd, input: descriptor ?? 'nothing' });
}
