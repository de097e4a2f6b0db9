import { render } from 'ink';
import { createElement } from 'react';
import { createKeyReader, MARK_PASTES, NO_MOUSE, NO_PASTE_MARKS, TELL_MOUSE } from './input.ts';
import type { Facets } from './model/facets.ts';
import type { MessageScreenServices } from './port.ts';
import { createSession, type Session } from './session.ts';
import { App } from './view/app.ts';

/** The size of a terminal that does not tell it. */
const USUAL = { columns: 80, rows: 24 } as const;
/** Milliseconds without a key before a search begins. */
const PAUSE_MS = 150;
const CLEAR = '\x1b[2J\x1b[H';
/** Milliseconds after which a lone Escape is the key, and not the beginning of another one. */
const ESCAPE_MS = 50;
const OTHER_SCREEN = `\x1b[?1049h${CLEAR}${MARK_PASTES}`;
const OWN_SCREEN = `${NO_MOUSE}${NO_PASTE_MARKS}\x1b[?1049l\x1b[?25h`;

export interface TuiOptions {
  readonly services: MessageScreenServices;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** The text in the query box at the start. */
  readonly text: string;
  readonly facets: Facets;
  readonly now: () => number;
  /** Whether clicks and the wheel are the screen's; else the terminal selects text with them. */
  readonly mouse: boolean;
  readonly colours: boolean;
  /** A signal that ends the screen as the quit key does. */
  readonly signal: AbortSignal;
}

/** Shows the screen until the person quits, and restores the terminal. */
export async function runTui({ services, stdin, stdout, text, facets, now, mouse, colours, signal }: TuiOptions): Promise<void> {
  const size = (): [number, number] => [stdout.columns || USUAL.columns, stdout.rows || USUAL.rows];
  const [columns, rows] = size();
  let timer: NodeJS.Timeout | undefined;
  const session = createSession({
    services,
    columns,
    rows,
    text,
    facets,
    now,
    soon(run) {
      clearTimeout(timer);
      timer = setTimeout(run, PAUSE_MS);
    },
  });
  const keys = listen(stdin, session);
  const onResize = (): void => {
    // After a resize the terminal has wrapped the old lines, of which Ink knows nothing.
    stdout.write(CLEAR);
    session.resize(...size());
  };
  const back = (): unknown => stdout.write(OWN_SCREEN);
  stdout.write(mouse ? `${OTHER_SCREEN}${TELL_MOUSE}` : OTHER_SCREEN);
  stdout.on('resize', onResize);
  // The exit event restores the screen whatever ends the process.
  process.once('exit', back);
  const screen = render(createElement(App, { session, colours }), { stdin, stdout, exitOnCtrlC: false, patchConsole: false });
  try {
    await Promise.race([session.done, screen.waitUntilExit(), aborted(signal)]);
  } finally {
    clearTimeout(timer);
    keys.stop();
    screen.unmount();
    stdout.off('resize', onResize);
    process.off('exit', back);
    back();
  }
}

/** Passes keys and clicks on one by one, as they come. */
function listen(stdin: NodeJS.ReadStream, { press, point }: Session): { stop(): void } {
  const reader = createKeyReader(press, point);
  let pause: NodeJS.Timeout | undefined;
  const onData = (text: string): void => {
    clearTimeout(pause);
    reader.feed(text);
    pause = setTimeout(reader.pause, ESCAPE_MS);
  };
  stdin.setEncoding('utf8');
  stdin.setRawMode(true);
  stdin.on('data', onData);
  return {
    stop() {
      clearTimeout(pause);
      stdin.off('data', onData);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
