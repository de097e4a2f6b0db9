/** The lines of a file in which some are told of. */
export interface Lines {
  /** Whether there is a line of this number, counted from 0. */
  has(line: number): boolean;
  /** The line that has the character; calls come in the order of places. */
  at(place: number): number;
  start(line: number): number;
  /** The place of its line end, or of the end of the text. */
  end(line: number): number;
}

/** Looks for lines as far as they are asked for: behind the last match of a file nobody does. */
export function linesOf(bytes: Buffer): Lines {
  const { length } = bytes;
  const starts = [0];
  let searched = 0;
  const has = (line: number): boolean => {
    while (starts.length <= line && searched < length) {
      searched = behindLine(bytes, searched);
      if (searched < length) starts.push(searched);
    }
    return line < starts.length;
  };
  let current = 0;
  return {
    has,
    at(place) {
      while (has(current + 1) && (starts[current + 1] ?? 0) <= place) current += 1;
      return current;
    },
    start: (line) => starts[line] ?? 0,
    end(line) {
      if (has(line + 1)) return (starts[line + 1] ?? 0) - 1;
      return bytes[length - 1] === LINE_FEED ? length - 1 : length;
    },
  };
}

const LINE_FEED = 0x0a;

/** The place behind the next line end. Lines are short: to call a search for each takes longer than to look. */
function behindLine(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LINE_FEED) at += 1;
  return at + 1;
}
