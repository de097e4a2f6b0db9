import { Box, Text } from 'ink';
import { createElement, type FunctionComponent, useSyncExternalStore } from 'react';
import type { Session } from '../session.ts';
import { painted } from './paint.ts';
import { screenOf } from './screen.ts';

/** The session on a terminal: draws its state. */
export const App: FunctionComponent<{ readonly session: Session; readonly colours: boolean }> = ({ session, colours }) => {
  const state = useSyncExternalStore(session.listen, session.state);
  const lines = screenOf(state).map((line, at) => createElement(Text, { key: `line ${at}`, wrap: 'truncate-end' }, painted(line, colours)));
  return createElement(Box, { flexDirection: 'column', width: state.columns }, ...lines);
};
