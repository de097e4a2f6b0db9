import type { FileReader } from '../../core/ports/index.ts';
import { lineText } from '../backends/parse-output.ts';
import type { RunEvent, RunOptions } from '../search/types.ts';
import type { Chunk } from './chunks.ts';
import { isTranscoded, LONG_LINE_BYTES, type LongLine, longLines } from './long-lines.ts';

/**
 * Whether a backend prints a line without its beginning where the match stands far behind it: ugrep 3.11 does when some 196 KB
 * lie between, because its buffer has moved on. With context it keeps the line.
 */
export function losesStarts({ backend, query }: Pick<RunOptions, 'backend' | 'query'>): boolean {
  return backend.kind === 'ugrep' && query.context === 0;
}

/** Gives lines back what a backend left out at their beginning. */
export interface LineStarts {
  /** Takes note that the match of an event stands so far behind the last one that its line may be such a line. */
  readonly note: (event: RunEvent, offset: number) => void;
  /** The events, lines of any length as a file has them; those that come before it is not wanted any more. */
  readonly mended: (events: readonly RunEvent[]) => Promise<readonly RunEvent[]> | undefined;
  readonly close: () => void;
}

interface LineStartsOptions extends Pick<RunOptions, 'reader'> {
  readonly onCut: (event: RunEvent) => void;
  readonly isWanted: () => boolean;
}

interface OpenedFile {
  readonly file: number;
  readonly reader: FileReader;
  /** Whether places of matches are none of the file, because a backend decodes it. */
  readonly isTranscoded: boolean;
  /** Goes through the file once: events come in the order of lines. */
  readonly lines: Generator<LongLine | undefined, void, void>;
  /** Where it stands. */
  line: LongLine | undefined;
}

/**
 * Looks into the files of a chunk for beginnings of lines. A look is one read of 4 KiB in front of the match, which nearly
 * always finds a line end; only a file that has none within 64 KiB is read for its long lines. Those are cut in any case, so
 * that their first 64 KiB are all that is needed.
 */
export function lineStarts({ first, files }: Chunk, { reader, onCut, isWanted }: LineStartsOptions): LineStarts {
  const far = new Map<RunEvent, number>();
  let opened: OpenedFile | undefined;

  const close = (): void => {
    opened?.reader.close();
    opened = undefined;
  };
  const fileOf = ({ file }: RunEvent): OpenedFile | undefined => {
    if (opened?.file === file) return opened;
    close();
    const candidate = files[file - first];
    const source = candidate === undefined ? undefined : reader(candidate);
    opened = source === undefined ? undefined : { file, reader: source, isTranscoded: isTranscoded(source), lines: longLines(source), line: undefined };
    return opened;
  };
  const whole = async (event: RunEvent, offset: number): Promise<RunEvent> => {
    const file = fileOf(event);
    if (file === undefined || (!file.isTranscoded && hasLineEnd(file.reader, offset))) return event;
    while ((file.line?.line ?? 0) < event.line) {
      const { done, value } = file.lines.next();
      if (done === true || !isWanted()) return event;
      if (value === undefined) await turn();
      else file.line = value;
    }
    if (file.line?.line !== event.line) return event;
    const { head } = file.line;
    const mended = { ...event, text: lineText(head, 0, head.length, undefined).shown };
    onCut(mended);
    return mended;
  };
  const mend = async (events: readonly RunEvent[]): Promise<readonly RunEvent[]> => {
    const done: RunEvent[] = [];
    for (const event of events) {
      const offset = far.get(event);
      const mended = offset === undefined ? event : await whole(event, offset);
      if (!isWanted()) break;
      done.push(mended);
    }
    far.clear();
    return done;
  };

  return { note: (event, offset) => void far.set(event, offset), mended: (events) => (far.size === 0 ? undefined : mend(events)), close };
}

/** Lines are short: the first look is nearly always enough. */
const LOOK_BYTES = [4096, LONG_LINE_BYTES] as const;
const LINE_FEED = 0x0a;

/** Whether a line ends shortly before the place. */
function hasLineEnd(reader: FileReader, place: number): boolean {
  return LOOK_BYTES.some((most) => {
    const look = Buffer.allocUnsafe(Math.min(most, place));
    return look.subarray(0, reader.read(look, place - look.length)).includes(LINE_FEED);
  });
}

/** Lets timers and requests have their turn. */
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
