import type { Registrar } from '../command.ts';
import { addMessageImport } from './message-import.ts';
import { addMessageSearch } from './message-search.ts';
import { addShadowReport } from './message-shadow-report.ts';

export const register: Registrar = (program, deps, exit) => {
  const messages = program.command('messages').helpCommand(false).description('the messages of agents, and the search in them');
  addMessageSearch(messages, deps, exit);
  addMessageImport(messages, deps, exit);
  addShadowReport(messages, deps, exit);
};
