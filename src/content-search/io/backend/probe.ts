import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackendDialect, BackendQuery, CaseFolding } from '../../../core/ports/index.ts';
import { type Collected, collect } from './collect.ts';
import type { Program } from './run-program.ts';
import { runProgram } from './run-program.ts';

/** A program that was found, and how it is started. */
export interface Candidate {
  readonly dialect: BackendDialect;
  /** Makes a start of the program with these arguments. */
  readonly program: (args: readonly string[]) => Pick<Program, 'file' | 'args'>;
}

/** What a backend does, as seen; or in which way it does not do what a search needs. */
export type Probed = { readonly ok: true; readonly folding: CaseFolding; readonly fuzzy: boolean } | { readonly ok: false; readonly why: string };

const PROBE_MS = 10_000;
const HERE = fileURLToPath(import.meta.url);
/** Two files that are there for sure and can be read even where nothing else can: this one and its neighbour. */
const DIRECTORY = dirname(HERE);
const NEIGHBOURS = [basename(HERE), basename(HERE).replace('probe', 'collect')] as const;

/**
 * One line for each question. The first three differ from the patterns `é`, `k`, `s` in case only, and not within ASCII:
 * what matches tells how the backend folds (FR-LSI-TOK-04). The fourth has a NUL, which must neither hide nor split it.
 */
const LINES = 'É\n\u212a\n\u017f\nx\0k\n';
const FOLDINGS: Readonly<Record<string, CaseFolding>> = { '': 'ASCII', '1,2,3': 'UNICODE_SIMPLE' };
const QUERY: BackendQuery = { pattern: 'é', fixedStrings: true, wordRegexp: false, ignoreCase: true, context: 0, fuzzy: 0, maxCount: 4 };

/** Asks a program how it behaves, with two searches that touch nothing but this folder. Never throws. */
export async function probe(candidate: Candidate): Promise<Probed> {
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
