import type { Registrar } from '../command.ts';
import { addMessagesImport } from './messages-import.ts';
import { addMessagesSearch } from './messages-search.ts';
import { addShadowReport } from './messages-shadow-report.ts';

export const registerMessages: Registrar = (program, deps, exit) => {
  const messages = program.command('messages').helpCommand(false).description('the messages of agents, and the search in them');
  addMessagesSearch(messages, deps, exit);
  addMessagesImport(messages, deps, exit);
  addShadowReport(messages, deps, exit);
};
