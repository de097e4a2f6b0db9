import type { JsonObject } from '../../src/core/json.ts';
import { capability, files, HEADER, tool } from './plan-core.ts';

/** The tools of the acceptance inputs, with object actions as the contract wants them. */
export const TOOLS = {
  slack: tool('slack', { 'message.send': ['channel', 'text'] }),
  openai: tool('openai', {
    'text.generateChatCompletion': ['text'],
    'text.classifyTextForViolations': ['labels', 'text'],
    'text.generateModelResponse': ['schema', 'text'],
  }),
  docs: tool('google-docs', { 'document.create': ['title', 'folderId'], 'document.update': ['documentId', 'text'] }),
  drive: tool('google-drive', { 'file.upload': ['name', 'folderId', 'binary'] }),
  monday: tool('monday', { 'boardItem.create': ['boardId', 'itemName'], 'items.get': ['itemId'], 'boardItem.updateColumnValues': ['itemId', 'fields'] }),
  axonaut: tool('axonaut', { 'company.update': ['id', 'fields'], 'contact.create': ['email', 'name'] }),
  gmail: tool('gmail', { 'message.send': ['to', 'subject', 'text'] }),
};
/** Search and files of this project as tools. */
export const WRIT = [
  tool('writ.search', { SEARCH_FILES: ['query', 'target_scope', 'max_results', 'constraints'] }),
  tool('writ.file', {
    FILE_COPY: ['source_path', 'destination_path', 'constraints'],
    FILE_MOVE: ['source_path', 'destination_path', 'constraints'],
    FILE_DELETE: ['source_path', 'constraints'],
  }),
];

/** A step that calls a tool. */
export const call = (ref: string, operation: string, params: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'tool',
  ref,
  operation,
  params,
  ...more,
});
/** A step that expands a use case. */
export const uc = (ref: string, params: JsonObject = {}): JsonObject => ({ type: 'usecase', ref, params });
/** The `save` of a step. */
export const to = (map: JsonObject): JsonObject => ({ save: { to: map } });

const CAPABILITIES = [
  capability('email.message.classify', [
    call(
      'openai',
      'text.classifyTextForViolations',
      { labels: '{{input.labels}}', text: '{{memory.state.email.subject}}: {{memory.state.email.body}}' },
      to({ 'memory.state.email.category': '$.data.classification' }),
    ),
  ]),
  capability('content.text.summarize', [
    call('openai', 'text.generateChatCompletion', { text: '{{input.text}}' }, to({ 'memory.state.content.summary': '$.data.summary' })),
  ]),
  capability('notification.message.send', [
    call(
      'slack',
      'message.send',
      { channel: '{{context.slack.channel}}', text: '{{input.text}}' },
      to({ 'memory.state.notification.message_id': '$.data.message_id' }),
    ),
  ]),
  capability('human.validation.request', [
    call(
      'slack',
      'message.send',
      { channel: '{{input.destination}}', text: '{{input.message}} ({{input.reason}})' },
      to({ 'memory.state.validation.id': '$.data.message_id' }),
    ),
  ]),
  capability('document.file.create', [
    call('google-docs', 'document.create', { title: '{{input.title}}', folderId: '{{context.docs.folder}}' }, to({ 'memory.state.document.id': '$.data.id' })),
  ]),
];

/** An execution envelope with that catalog. `more`: fields of the payload, and `usecases`, more registry files. */
export function execution(
  steps: readonly JsonObject[],
  more: JsonObject = {},
  registryFiles = files({ tools: Object.values(TOOLS), capabilities: CAPABILITIES }),
): JsonObject {
  const { usecases = [], ...rest } = more;
  return {
    header: HEADER,
    payload: { steps: [...steps], memory: { session_id: 'sess_0001', state: {} }, registryFiles: [...registryFiles, ...(usecases as JsonObject[])], ...rest },
  };
}
