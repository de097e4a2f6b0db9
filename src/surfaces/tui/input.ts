import type { Pointer } from './model/pointer.ts';
import type { Press } from './session.ts';
import { firstCharacter } from './text/cells.ts';

/** Reads keys from the bytes of a terminal. Several can come in one piece (over SSH they do), and one in several pieces. */
export interface KeyReader {
  feed(text: string): void;
  /** Told that nothing came for a moment: an unfinished sequence then is a key of its own, such as Escape. */
  pause(): void;
}

const NAMED: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x1b': 'escape',
};

/** Keys by the last letter of a sequence (ECMA-48 CSI and SS3), without modifiers. */
const LETTERS: Readonly<Record<string, string>> = { A: 'up', B: 'down', C: 'right', D: 'left', H: 'home', F: 'end', Z: 'shift+tab' };
/** Keys by the number of a sequence that ends in `~`. */
const NUMBERS: Readonly<Record<string, string>> = { 1: 'home', 3: 'backspace', 4: 'end', 5: 'pageup', 6: 'pagedown', 7: 'home', 8: 'end' };

const ESCAPE = '\x1b';
/** The text after the escape character: of a whole key, and of a key whose end is missing. */
const WHOLE = /^(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[ -NP-Z\\-~])/;
const UNFINISHED = /^(?:\[[0-?]*[ -/]*|O)?$/;
const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/** What a mouse did, as the text after the escape character: button, column, line from 1, and whether it went down. */
const MOUSE = /^\[<(\d+);(\d+);(\d+)([Mm])$/;
/** By the button; with Shift, Ctrl or Alt they are others, which belong to the terminal. */
const POINTED: Readonly<Record<string, Pointer['kind']>> = { 0: 'click', 64: 'wheelUp', 65: 'wheelDown' };

/** The sequences that have a terminal tell of clicks and of the wheel (SGR), and that end it. */
export const TELL_MOUSE = '\x1b[?1000h\x1b[?1006h';
export const NO_MOUSE = '\x1b[?1006l\x1b[?1000l';

/** The sequence that makes a terminal mark pasted text, so that a line end in it is not read as the Enter key. */
export const MARK_PASTES = '\x1b[?2004h';
export const NO_PASTE_MARKS = '\x1b[?2004l';

export function createKeyReader(press: (press: Press) => void, point: (pointer: Pointer) => void = () => undefined): KeyReader {
  let waiting = '';

  /** Takes one key off the front; false when its end has not come yet. */
  const next = (last: boolean): boolean => {
    if (waiting.startsWith(PASTE_BEGIN)) return paste(last);
    if (waiting.startsWith(ESCAPE)) return escaped(last);
    const character = firstCharacter(waiting);
    waiting = waiting.slice(character.length);
    press(pressOf(character));
    return true;
  };

  const paste = (last: boolean): boolean => {
    const end = waiting.indexOf(PASTE_END);
    if (end === -1 && !last) return false;
    press({ key: '', typed: waiting.slice(PASTE_BEGIN.length, end === -1 ? undefined : end) });
    waiting = end === -1 ? '' : waiting.slice(end + PASTE_END.length);
    return true;
  };

  const escaped = (last: boolean): boolean => {
    const rest = waiting.slice(1);
    if (!last && UNFINISHED.test(rest)) return false;
    const sequence = WHOLE.exec(rest)?.[0] ?? '';
    waiting = rest.slice(sequence.length);
    const pointer = pointerOf(sequence);
    if (pointer !== undefined) point(pointer);
    const key = keyOf(sequence);
    if (key !== undefined) press({ key, typed: '' });
    return true;
  };

  const take = (last: boolean): void => {
    while (waiting !== '' && next(last)) {
      // Keys are taken until none is whole.
    }
  };

  return {
    feed(text) {
      waiting += text;
      take(false);
    },
    pause: () => take(true),
  };
}

function pointerOf(sequence: string): Pointer | undefined {
  const [, button = '', column, line, end] = MOUSE.exec(sequence) ?? [];
  const kind = POINTED[button];
  return kind === undefined || end !== 'M' ? undefined : { kind, column: Number(column) - 1, line: Number(line) - 1 };
}

/** The key of a sequence after the escape character; undefined for keys that the screen does not use, such as a letter with Alt. */
function keyOf(sequence: string): string | undefined {
  if (sequence === '') return 'escape';
  if (!/^[[O][^<]/.test(sequence)) return undefined;
  return sequence.endsWith('~') ? NUMBERS[/\d+/.exec(sequence)?.[0] ?? ''] : LETTERS[sequence.at(-1) ?? ''];
}

function pressOf(character: string): Press {
  const named = NAMED[character];
  if (named !== undefined) return { key: named, typed: '' };
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return { key: `ctrl+${String.fromCharCode(code + 0x60)}`, typed: '' };
  return { key: character, typed: character };
}
