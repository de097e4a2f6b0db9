import type { RunEvent } from './types.ts';

/**
 * The event as people read it, with the line end behind it: a heading when the file is another than before, `--` where
 * lines are left out between two of a file when context was asked for, then `12:text` for a match and `12-text` for context.
 *
 * @param before the event before this one
 */
export function renderEvent(event: RunEvent, before: RunEvent | undefined, context: number): string {
  const line = `${event.line}${MARKS[event.type]}${visible(event.text)}\n`;
  if (event.file !== before?.file) return `${before === undefined ? '' : '\n'}${visible(event.path)}\n${line}`;
  return context > 0 && event.line > before.line + 1 ? `--\n${line}` : line;
}

const MARKS = { match: ':', context: '-' } satisfies Record<RunEvent['type'], string>;

/** What people should know beside the events; each sentence on a line of its own. */
export function renderNotes(notes: { readonly events: number; readonly truncated: boolean; readonly timedOut: boolean }): string {
  const sentences = [
    notes.events === 0 && !notes.timedOut && !notes.truncated ? 'No matches.' : '',
    notes.timedOut ? 'The time ran out: there may be more matches.' : '',
    notes.truncated ? 'There are more matches than these.' : '',
  ].filter((sentence) => sentence !== '');
  return sentences.length === 0 ? '' : `${notes.events === 0 ? '' : '\n'}${sentences.join('\n')}\n`;
}

/** Controls but the tab, separators of lines, and what turns the direction of writing: none of it may reach a terminal raw. */
const CONTROLS = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Text of files and names with its control characters written out, `\x1b`, `\u{202e}` (FR-LSI-ENC-02). */
export function visible(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
