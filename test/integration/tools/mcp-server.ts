import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import process from 'node:process';

/**
 * An MCP server over stdio that misbehaves on demand. Its argument is a file in which it notes its process ids and every
 * call, before it does what the name of the tool says.
 */
const [, , notes = ''] = process.argv;
appendFileSync(notes, `start ${process.pid}\n`);
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + String(chunk)).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) handle(JSON.parse(line) as { id?: number; method: string; params?: { name?: string; protocolVersion?: string; _meta?: object } });
});

const say = (id: number | undefined, body: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
const text = (value: string): object => ({ result: { content: [{ type: 'text', text: value }] } });

function handle({ id, method, params }: { id?: number; method: string; params?: { name?: string; protocolVersion?: string; _meta?: object } }): void {
  if (method === 'initialize') {
    process.stdout.write('this is no message\n');
    say(id, { result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '1' } } });
  }
  if (method === 'ping') say(id, { result: {} });
  if (method !== 'tools/call') return;
  appendFileSync(notes, `call ${params?.name} ${JSON.stringify(params?._meta)}\n`);
  TRICKS[params?.name ?? '']?.(id);
}

const TRICKS: Readonly<Record<string, (id: number | undefined) => void>> = {
  environment: (id) => say(id, text(JSON.stringify(process.env))),
  die: () => process.exit(1),
  hang: () => undefined,
  huge: (id) => say(id, text('x'.repeat(200_000))),
  broken: (id) => say(id, { result: { content: 'no list' } }),
  error: (id) => say(id, { error: { code: -32_602, message: `bad ${process.env['KEY']}` } }),
  'said-closed': (id) => say(id, { error: { code: -32_000, message: 'no such thing' } }),
  'said-timeout': (id) => say(id, { error: { code: -32_001, message: 'no such thing' } }),
  'big-integer': (id) => void process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"n":9007199254740993}}}\n`),
  family(id) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    appendFileSync(notes, `child ${child.pid}\n`);
    say(id, text('ok'));
  },
};
