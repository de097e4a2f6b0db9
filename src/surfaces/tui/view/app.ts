import { Box, Text } from 'ink';
import { createElement, type FunctionComponent, useSyncExternalStore } from 'react';
import type { Session } from '../session.ts';
import { screenOf } from './screen.ts';
import type { Style } from './spans.ts';

type Look = Parameters<typeof Text>[0];

const LOOKS = {
  plain: {},
  dim: { dimColor: true },
  strong: { bold: true },
  title: { bold: true, color: 'cyan' },
  focus: { bold: true, color: 'cyan', underline: true },
  hit: { bold: true, color: 'yellow' },
  selected: { inverse: true },
  selectedHit: { inverse: true, bold: true, underline: true },
  caret: { inverse: true },
  warn: { color: 'yellow' },
  error: { color: 'red', bold: true },
  active: { bold: true, color: 'green' },
} as const satisfies Record<Style, Look>;

/** The session on a terminal: draws its state. */
export const App: FunctionComponent<{ readonly session: Session }> = ({ session }) => {
  const state = useSyncExternalStore(session.listen, session.state);
  const lines = screenOf(state).map((line, at) =>
    createElement(
      Text,
      { key: `line ${at}`, wrap: 'truncate-end' },
      ...line.map(({ text, style }, part) => createElement(Text, { key: `part ${part}`, ...LOOKS[style] }, text)),
    ),
  );
  return createElement(Box, { flexDirection: 'column', width: state.columns }, ...lines);
};
