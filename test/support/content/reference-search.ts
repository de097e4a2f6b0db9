import { readFileSync } from 'node:fs';
import type { BackendKind } from '../../../src/core/ports/index.ts';
import { linesOf, shown } from './reference-lines.ts';
import { lineTest, type Pattern } from './reference-pattern.ts';
import { type ReferenceFile, type ReferenceTree, referenceFiles } from './reference-walk.ts';

/** A search in the words of the reference: the pattern is no text, so nothing has to be parsed. */
export interface ReferenceRequest extends ReferenceTree {
  readonly pattern: Pattern;
  readonly backend: BackendKind;
  readonly ignoreCase: boolean;
  readonly wordRegexp: boolean;
  readonly context: number;
  readonly maxResults: number;
}

export interface ReferenceAnswer {
  /** `match path line text`, as the tool's events say it. */
  readonly events: readonly ReferenceEvent[];
  readonly truncated: boolean;
}

export interface ReferenceEvent {
  readonly type: 'match' | 'context';
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** What a search must answer: reads every file whole, looks at every line. Shares no code with the tool. */
export function referenceSearch(request: ReferenceRequest): ReferenceAnswer {
  const test = lineTest(request.pattern, request.backend, request);
  const events = referenceFiles(request).flatMap((file) => eventsIn(file, test, request));
  return { events: events.slice(0, request.maxResults), truncated: events.length > request.maxResults };
}

function eventsIn({ text, raw }: ReferenceFile, test: (line: Buffer) => boolean, { orderRoot, context }: ReferenceRequest): ReferenceEvent[] {
  const lines = linesOf(readFileSync(Buffer.concat([Buffer.from(`${orderRoot}/`), raw])));
  const matches = lines.map(test);
  return lines.flatMap((line, index): ReferenceEvent[] => {
    const near = matches.slice(Math.max(0, index - context), index + context + 1).includes(true);
    if (!near) return [];
    return [{ type: matches[index] === true ? 'match' : 'context', path: text, line: index + 1, text: shown(line) }];
  });
}
