import { accessSync, constants, statSync } from 'node:fs';
import path, { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rgPath } from '@vscode/ripgrep';
import type {
  BackendDialect,
  BackendEnd,
  BackendJob,
  BackendKind,
  BackendProcess,
  BackendQuery,
  CaseFolding,
  SearchBackend,
} from '../../../core/ports/index.ts';
import { type Program, runProgram } from './run-program.ts';

interface FindOptions {
  /** Names or absolute paths of programs, the preferred one first. */
  readonly names: readonly string[];
  /** Directories in which names are looked up, in the form of PATH. */
  readonly searchPath: string;
  readonly dialects: Readonly<Record<BackendKind, BackendDialect>>;
  /** Look no further when as many are found; all are looked for if it is absent. */
  readonly enough?: number;
}

interface FoundBackend {
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
  const starting = dieWithParent(findProgram('setpriv', options.searchPath));
  const names = [...options.names, BUNDLED];
  const inTurn = options.enough === undefined ? names.length : 1;
  const found: FoundBackend[] = [];
  const missed: { name: string; why: string }[] = [];
  for (let at = 0; at < names.length && found.length < (options.enough ?? names.length); at += inTurn) {
    for (const one of await Promise.all(names.slice(at, at + inTurn).map((name) => tryProgram(name, options, starting)))) {
      if ('why' in one) missed.push(one);
      else if (!found.some(({ backend }) => backend.kind === one.backend.kind)) found.push(one);
    }
  }
  return { found, missed: missed.filter(({ name }) => name !== BUNDLED) };
}

/** Stands for the ripgrep of the package. */
const BUNDLED = '@vscode/ripgrep';

/** What is started for a program with these arguments. */
type Starting = (file: string) => Candidate['program'];

/** The process dies with its parent, whatever kills that: `setpriv` of util-linux arranges it and becomes the program. */
function dieWithParent(setpriv: string | undefined): Starting {
  return (file) => (args) => (setpriv === undefined ? { file, args } : { file: setpriv, args: ['--pdeathsig', 'KILL', '--', file, ...args] });
}

async function tryProgram(
  name: string,
  { searchPath, dialects }: FindOptions,
  starting: Starting,
): Promise<FoundBackend | { readonly name: string; readonly why: string }> {
  const file = name === BUNDLED ? rgPath : findProgram(name, searchPath);
  if (file === undefined) return { name, why: 'not found' };
  const told = await lookAt(file, dialects, starting);
  if ('why' in told) return { name, why: told.why };
  const { candidate, version, folding, fuzzy } = told;
  const { dialect } = candidate;
  const id = `${dialect.kind}@${version.join('.')}`;
  return { file, backend: { kind: dialect.kind, id, folding, fuzzy, fileList: 'ARGV_CHUNKED', start: (job) => start(candidate, job) } };
}

/** What a program says of itself and does, or why it is not used. */
type Look = { readonly candidate: Candidate; readonly version: Version; readonly folding: CaseFolding; readonly fuzzy: boolean } | { readonly why: string };

/**
 * What was seen of programs, by what they are asked with. In this process's memory and nowhere else: whoever could write it
 * down could have another program believed.
 */
const looks = new WeakMap<FindOptions['dialects'], Map<string, Promise<Look>>>();
const MAX_LOOKS = 16;

/** Asks a program once, until its file is another one or has changed. What cannot be used is asked again. */
function lookAt(file: string, dialects: FindOptions['dialects'], starting: Starting): Promise<Look> {
  const state = fileState(file);
  if (state === undefined) return askProgram(file, dialects, starting);
  const key = `${state} ${starting(file)([]).file}`;
  const seen = looks.get(dialects) ?? new Map<string, Promise<Look>>();
  looks.set(dialects, seen);
  const known = seen.get(key);
  if (known !== undefined) return known;
  const look = askProgram(file, dialects, starting);
  if (seen.size >= MAX_LOOKS) seen.clear();
  seen.set(key, look);
  const forget = (): void => void seen.delete(key);
  look.then((found) => ('why' in found ? forget() : undefined), forget);
  return look;
}

/** The file behind a name, and its state: who changes it cannot set the time of the change (ctime). */
function fileState(file: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [file, dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

async function askProgram(file: string, dialects: FindOptions['dialects'], starting: Starting): Promise<Look> {
  const told = await versionOf(file, dialects);
  if (told === undefined) return { why: 'does not say that it is ugrep or ripgrep' };
  const { dialect, version } = told;
  if (!isNewEnough(version, dialect.oldest)) return { why: `version ${version.join('.')} is older than ${dialect.oldest.join('.')}` };
  const candidate = { dialect, program: starting(file) };
  const probed = await probe(candidate);
  if (!probed.ok) return { why: probed.why };
  return { candidate, version, folding: probed.folding, fuzzy: probed.fuzzy };
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

function start({ dialect, program }: Candidate, { query, cwd, files, descriptor, text }: BackendJob): ReturnType<SearchBackend['start']> {
  const names = files.length === 0 ? ['-'] : files.map((name) => `./${name}`);
  return runProgram({ ...program([...dialect.options(query), '--', ...names]), cwd, input: text === undefined ? (descriptor ?? 'nothing') : { text } });
}

/** A program that was found, and how it is started. */
interface Candidate {
  readonly dialect: BackendDialect;
  /** Makes a start of the program with these arguments. */
  readonly program: (args: readonly string[]) => Pick<Program, 'file' | 'args'>;
}

/** What a backend does, as seen; or in which way it does not do what a search needs. */
type Probed = { readonly ok: true; readonly folding: CaseFolding; readonly fuzzy: boolean } | { readonly ok: false; readonly why: string };

const PROBE_MS = 10_000;
const HERE = fileURLToPath(import.meta.url);
/** Two files that are there for sure and can be read even where nothing else can: this one and its neighbour. */
const DIRECTORY = dirname(HERE);
const NEIGHBOURS = [basename(HERE), basename(HERE).replace('find-backends', 'run-program')] as const;

/**
 * One line for each question. The first three differ from the patterns `é`, `k`, `s` in case only, and not within ASCII:
 * what matches tells how the backend folds (FR-LSI-TOK-04). The fourth has a NUL, which must neither hide nor split it.
 */
const LINES = 'É\n\u212a\n\u017f\nx\0k\n';
const FOLDINGS: Readonly<Record<string, CaseFolding>> = { '': 'ASCII', '1,2,3': 'UNICODE_SIMPLE' };
const QUERY: BackendQuery = { pattern: 'é', fixedStrings: true, wordRegexp: false, ignoreCase: true, context: 0, fuzzy: 0, maxCount: 4 };

/** Asks a program how it behaves, with two searches that touch nothing but this folder. Never throws. */
async function probe(candidate: Candidate): Promise<Probed> {
  const [searched, fuzzy] = await Promise.all([search(candidate), fuzzySearch(candidate)]);
  if (searched.code !== 0 || searched.stderr !== '') return { ok: false, why: `refuses the options of a search: ${reasonOf(searched)}` };
  const records = recordsOf(searched.stdout);
  const wanted = ['<stdin>', ...NEIGHBOURS.map((name) => `./${name}`)];
  if (records === undefined) return { ok: false, why: 'does not print name, NUL, line number and text' };
  if ([...new Set(records.map(({ path }) => path))].join('\n') !== wanted.join('\n')) return { ok: false, why: 'does not answer in the order of its files' };
  const lines = records.filter(({ path }) => path === '<stdin>').map(({ line }) => line);
  if (lines.at(-1) !== 4) return { ok: false, why: 'does not search a file that has a NUL as text' };
  return { ok: true, folding: FOLDINGS[lines.slice(0, -1).join()] ?? 'UNKNOWN', fuzzy: fuzzy.code === 0 && recordsOf(fuzzy.stdout)?.length === 1 };
}

function search({ dialect, program }: Candidate): Promise<Collected> {
  const args = [...dialect.options(QUERY), '-e', 'k', '-e', 's', '--', '-', ...NEIGHBOURS.map((name) => `./${name}`)];
  return collect(runProgram({ ...program(args), cwd: DIRECTORY, input: { text: LINES } }), PROBE_MS);
}

async function fuzzySearch({ dialect, program }: Candidate): Promise<Collected> {
  const options = dialect.options({ ...QUERY, pattern: 'needle', ignoreCase: false, fuzzy: 1 });
  return collect(runProgram({ ...program([...options, '--', '-']), cwd: DIRECTORY, input: { text: 'neddle\nhay\n' } }), PROBE_MS);
}

interface ProbeRecord {
  readonly path: string;
  readonly line: number;
}

const RECORD = /([^\0]+)\0(\d+):[^\n]*\n/y;

/** The records of an output; undefined when there is something else in it. */
function recordsOf(stdout: Buffer): readonly ProbeRecord[] | undefined {
  const text = stdout.toString();
  const records: ProbeRecord[] = [];
  const record = new RegExp(RECORD);
  while (record.lastIndex < text.length) {
    const found = record.exec(text);
    if (found === null) return undefined;
    records.push({ path: found[1] ?? '', line: Number(found[2]) });
  }
  return records;
}

function reasonOf({ startError, stderr, code }: Collected): string {
  return startError ?? (stderr.trim().split('\n')[0] || `it ends with ${code}`);
}

type Version = readonly [major: number, minor: number, patch: number];

/** The version that an expression with the groups major, minor and perhaps patch finds; a patch that is missing is 0 (FR-LSI-BE-CAP-01). */
export function versionIn(text: string, expression: RegExp): Version | undefined {
  const found = expression.exec(text);
  return found === null ? undefined : [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)];
}

/** Whether a version is at least `oldest`: major before minor before patch. */
export function isNewEnough(version: Version, oldest: Version): boolean {
  const at = version.findIndex((part, index) => part !== oldest[index]);
  return at < 0 || (version[at] ?? 0) > (oldest[at] ?? 0);
}

const ENDINGS = process.platform === 'win32' ? ['', '.exe'] : [''];

/** The file of a program: a name with a separator is its path, any other is looked up in `searchPath` (the form of PATH). Relative directories in it do not count. */
export function findProgram(name: string, searchPath: string): string | undefined {
  if (name.includes('/') || name.includes(path.sep)) return path.isAbsolute(name) && isProgram(name) ? name : undefined;
  return searchPath
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .flatMap((directory) => ENDINGS.map((ending) => path.join(directory, name + ending)))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Everything that a short-lived program wrote, at most this many bytes of it. */
const OUTPUT_MAX_BYTES = 1024 * 1024;

interface Collected extends BackendEnd {
  readonly stdout: Buffer;
}

/** Reads a process to its end; one that takes longer than `timeoutMs` or writes without end is killed. */
async function collect(process: BackendProcess, timeoutMs: number): Promise<Collected> {
  const alarm = setTimeout(() => process.kill(), timeoutMs);
  const blocks: Buffer[] = [];
  let length = 0;
  for await (const block of process.stdout) {
    blocks.push(block);
    length += block.length;
    if (length > OUTPUT_MAX_BYTES) process.kill();
  }
  const end = await process.ended;
  clearTimeout(alarm);
  return { ...end, stdout: Buffer.concat(blocks) };
}
