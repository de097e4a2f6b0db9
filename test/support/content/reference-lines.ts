/** Lines of a file as a backend in text mode sees them: the bytes after a byte order mark was heeded, cut at LF. */
export function linesOf(file: Buffer): Buffer[] {
  const text = transcoded(file);
  if (text.length === 0) return [];
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = text.indexOf(0x0a); end >= 0; end = text.indexOf(0x0a, start)) {
    lines.push(text.subarray(start, end));
    start = end + 1;
  }
  if (start < text.length) lines.push(text.subarray(start));
  return lines;
}

function transcoded(file: Buffer): Buffer {
  if (file[0] === 0xff && file[1] === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(file));
  if (file[0] === 0xfe && file[1] === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(file));
  return file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf ? file.subarray(3) : file;
}

/** What is matched: characters, and U+DC80 to U+DCFF for bytes that belong to none. */
export function matchable(line: Buffer): string {
  let text = '';
  for (let at = 0; at < line.length; ) {
    const size = sizeOfCharacter(line, at);
    text += size === 0 ? String.fromCharCode(0xdc00 + (line[at] ?? 0)) : line.toString('utf8', at, at + size);
    at += Math.max(size, 1);
  }
  return text;
}

/** Bytes of the character that begins here; 0 if none does. */
function sizeOfCharacter(line: Buffer, at: number): number {
  for (const size of [1, 2, 3, 4]) {
    const bytes = line.subarray(at, at + size);
    const text = bytes.toString('utf8');
    if (bytes.length === size && !text.includes('\ufffd') && [...text].length === 1) return size;
    if (bytes.equals(Buffer.from('\ufffd'))) return 3;
  }
  return 0;
}

/** The longest line that is shown, bytes. */
const LONGEST = 65_536;

/** What is shown: one CR before the line's end is no part of the line, a long line ends early, and what is not UTF-8 is U+FFFD. */
export function shown(line: Buffer): string {
  const text = line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
  if (text.length <= LONGEST) return text.toString('utf8');
  const ends = [0, 1, 2, 3].map((less) => LONGEST - less);
  // A byte 10xxxxxx belongs to the character before it.
  const end = ends.find((at) => ((text[at] ?? 0) & 0xc0) !== 0x80) ?? LONGEST;
  return text.subarray(0, end).toString('utf8');
}
