import type { BackendProcess, ContentSearchError } from '../../core/ports/index.ts';
import { classifyExit } from '../backends/classify-exit.ts';
import { isSurelyAPattern } from '../backends/patterns.ts';
import { complaintAbout, fileComplaints, patternRefusal } from '../backends/read-stderr.ts';
import type { RunOptions, Warning } from '../search/types.ts';
import type { Chunk } from './chunks.ts';
import type { Scan, ScanEnd } from './scan.ts';
import { fileWarning, refusedFiles } from './warnings.ts';

/** What a scan that ended by itself was worth. */
export interface Judgement {
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
