import type { ContentSearchEvent } from '../../../contracts/index.ts';
import { printable, printableLine } from '../text/values.ts';

/** How the parts of a line are painted on a terminal (ECMA-48 SGR), in the colours that programs of this kind use. */
export interface Paint {
  path(text: string): string;
  line(text: string): string;
  match(text: string): string;
}

const sgr = (code: string) => (text: string) => `\u001b[${code}m${text}\u001b[0m`;
const plain = (text: string): string => text;

export const COLOURED: Paint = { path: sgr('35'), line: sgr('32'), match: sgr('1;31') };
export const PLAIN: Paint = { path: plain, line: plain, match: plain };

export interface Look {
  readonly paint: Paint;
  /** The matches of a file under its name, and no control character in a line; else every line names its file and is as it is. */
  readonly terminal: boolean;
  /** Whether there are context lines: then a gap within a file is marked. */
  readonly context: boolean;
  readonly shownPath: (eventPath: string) => string;
  readonly pieces: (line: string) => readonly string[];
}

/** Events as lines of text. Control characters of names are never written as they are, those of lines not to a terminal. */
export function* renderEvents(events: readonly ContentSearchEvent[], look: Look): Generator<string> {
  let before: ContentSearchEvent['data'] | undefined;
  for (const { type, data } of events) {
    const sameFile = before?.path.text === data.path.text;
    const gap = before !== undefined && (!sameFile || data.line_number !== before.line_number + 1);
    if (gap && look.terminal && !sameFile) yield '';
    else if (gap && look.context) yield '--';
    if (look.terminal && !sameFile) yield look.paint.path(printable(look.shownPath(data.path.text)));
    yield lineOf(type, data, look);
    before = data;
  }
}

function lineOf(type: ContentSearchEvent['type'], { path, line_number, lines }: ContentSearchEvent['data'], look: Look): string {
  const mark = type === 'match' ? ':' : '-';
  const text = type === 'match' ? painted(lines.text, look) : shownLine(lines.text, look);
  const number = look.paint.line(String(line_number));
  return look.terminal ? `${number}${mark}${text}` : `${look.paint.path(printable(look.shownPath(path.text)))}${mark}${number}${mark}${text}`;
}

function painted(text: string, look: Look): string {
  return look
    .pieces(text)
    .map((piece, at) => (at % 2 === 1 ? look.paint.match(shownLine(piece, look)) : shownLine(piece, look)))
    .join('');
}

function shownLine(text: string, { terminal }: Look): string {
  return terminal ? printableLine(text) : text;
}
