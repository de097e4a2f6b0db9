import type { BackendEnd, BackendProcess, ContentSearchError } from '../../core/ports/index.ts';
import { complaintAbout, fileComplaints, isSurelyAPattern, patternRefusal } from '../backends/dialects.ts';
import { fileWarning } from '../enumerate/warning-line.ts';
import type { RunEnd, RunOptions, Warning } from '../search/types.ts';
import type { Chunk } from './chunks.ts';
import type { Scan, ScanEnd } from './scan.ts';

/** What a scan that ended by itself was worth. */
interface Judgement {
  readonly warnings: readonly Warning[];
  /** Why the whole search fails. */
  readonly error: ContentSearchError | undefined;
}

export interface Judge {
  judge(scan: Scan): Promise<Judgement>;
  /** Files before `upTo` that a stopped scan has complained about. */
  complaints(scan: Scan, upTo: number): readonly Warning[];
  /** Whether the backend takes the pattern, asked with nothing to search; undefined if it does. */
  refusal(): Promise<ContentSearchError | undefined>;
}

/**
 * Finds the reason of an exit that is none of the ordinary ones. The pattern is asked about first, and once: an empty input
 * is searched for it. Then the files are tried by the tool itself, so that what the answer says about them does not depend
 * on the words of a backend; only a file that can be opened again is told by those.
 *
 * @param started told of each process, so that it can be ended with the others
 */
export function createJudge(options: RunOptions, started: (process: BackendProcess) => void): Judge {
  const { backend, query, cwd, tryOpen } = options;
  let asked: Promise<ContentSearchError | undefined> | undefined;

  const ask = async (): Promise<ContentSearchError | undefined> => {
    const process = backend.start({ query, cwd, files: [] });
    started(process);
    for await (const _ of process.stdout);
    const { code, stderr, startError } = await process.ended;
    if (startError !== undefined) return failed(`${backend.kind} could not be started: ${startError}`);
    return code === 2 ? { code: 'BadArgs', field: 'pattern', message: `${backend.kind} refuses it: ${patternRefusal(backend.kind, stderr)}` } : undefined;
  };
  const refusal = (): Promise<ContentSearchError | undefined> => {
    asked ??= ask();
    return asked;
  };

  const complaintsOf = ({ chunk }: Pick<Scan, 'chunk'>, { stderr, code, warnings }: ScanEnd): readonly Warning[] => {
    if (stderr === '' && code !== 2) return warnings;
    const refused = refusedFiles(chunk, tryOpen);
    return refused.length > 0 ? [...warnings, ...refused] : [...warnings, ...complaintsAbout(chunk, stderr, backend.kind)];
  };

  return {
    refusal,
    async judge(scan) {
      const end = scan.end;
      if (end === undefined) return { warnings: [], error: undefined };
      const refused = end.code === 2 ? await refusal() : undefined;
      if (refused !== undefined) return { warnings: [], error: refused };
      const warnings = complaintsOf(scan, end);
      const how = classifyExit({ stoppedFor: undefined, end, matches: end.matches, violation: end.violation, isExplained: warnings.length > 0 });
      return { warnings, error: how === 'backend_error' ? failed(reasonOf(end, backend.kind)) : undefined };
    },
    complaints: (scan, upTo) => (scan.end === undefined ? [] : complaintsOf(scan, scan.end).filter(({ before }) => before < upTo)),
  };
}

function complaintsAbout({ first, files }: Chunk, stderr: string, kind: RunOptions['backend']['kind']): readonly Warning[] {
  const reasons = new Map(fileComplaints(kind, stderr).map(({ path, reason }) => [path, reason]));
  return files.flatMap(({ text }, index) => {
    const reason = reasons.get(text) ?? (text.includes('\n') ? complaintAbout(text, stderr) : undefined);
    return reason === undefined ? [] : [fileWarning(first + index, text, reason)];
  });
}

function reasonOf({ startError, signal, violation, code, stderr }: ScanEnd, kind: string): string {
  if (startError !== undefined) return `${kind} could not be started: ${startError}`;
  if (violation !== undefined) return `the output of ${kind} could not be read: ${violation}`;
  if (signal !== null) return `${kind} was ended by ${signal}`;
  return `${kind} ended with ${code}${stderr === '' ? '' : ' and said why on stderr, which the log of the tool has'}`;
}

function failed(message: string): ContentSearchError {
  return { code: 'ExecutionFailed', field: undefined, message };
}

/** Whether a search of no files at all must still ask about the pattern. */
export function mustAsk({ query }: RunOptions): boolean {
  return !isSurelyAPattern(query);
}

/** All that is known about a process that has ended. */
export interface ExitFacts {
  /** Why the tool ended it, if it did. */
  readonly stoppedFor: 'limit' | 'time' | undefined;
  readonly end: BackendEnd;
  readonly matches: number;
  /** What in its output is not what a backend prints. */
  readonly violation: string | undefined;
  /** Whether a failure has its reason in files that cannot be opened, so that all others were searched. */
  readonly isExplained: boolean;
}

interface ExitRule {
  readonly when: (facts: ExitFacts) => boolean;
  readonly becomes: RunEnd;
}

/**
 * How a process ended (FR-LSI-EXIT-01, G.6), the first rule that holds. What the tool did goes before what the program says.
 * Exit codes alone are not enough: ripgrep ends with 2 and ugrep with 0 when one of several files cannot be opened, with
 * matches on stdout (docs/search-backends.md has the table).
 */
const RULES: readonly ExitRule[] = [
  { when: ({ stoppedFor }) => stoppedFor === 'time', becomes: 'timed_out' },
  { when: ({ stoppedFor }) => stoppedFor === 'limit', becomes: 'truncated' },
  { when: ({ end }) => end.startError !== undefined || end.code === null || end.code > 2, becomes: 'backend_error' },
  { when: ({ violation }) => violation !== undefined, becomes: 'backend_error' },
  { when: ({ end, isExplained }) => end.code === 2 && !isExplained, becomes: 'backend_error' },
  { when: ({ matches }) => matches > 0, becomes: 'ok_with_matches' },
  { when: () => true, becomes: 'ok_no_matches' },
];

export function classifyExit(facts: ExitFacts): RunEnd {
  return RULES.find(({ when }) => when(facts))?.becomes ?? 'backend_error';
}

/** The files of a chunk that cannot be opened now, a line for each. */
function refusedFiles({ first, files }: Chunk, tryOpen: RunOptions['tryOpen']): readonly Warning[] {
  return files.flatMap((file, index) => {
    const reason = tryOpen(file);
    return reason === undefined ? [] : [fileWarning(first + index, file.text, reason)];
  });
}
