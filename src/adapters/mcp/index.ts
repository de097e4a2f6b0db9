import { BOUNDS, type McpBinding, type McpProcess, type McpUrl, PROVIDER_DEFAULTS } from '../../contracts/index.ts';
import { isWritError, WritError } from '../../core/errors.ts';
import type { PreparedRequest, ToolAnswer, ToolRequest } from '../../core/ports/index.ts';
import { allowList } from '../http-tool/addresses.ts';
import type { HttpToolDeps, OpenTool } from '../http-tool/index.ts';
import { headerValue } from '../http-tool/render.ts';
import { freeHeader } from '../http-tool/request-template.ts';
import { systemResolver } from '../http-tool/resolve-host.ts';
import { scrubberKeeper } from '../http-tool/scrub.ts';
import { readSecrets } from '../http-tool/secrets.ts';
import { parseTarget } from '../http-tool/target.ts';
import { fillText, hasParams, parseTemplate, secretsOf, type Template } from '../http-tool/template.ts';
import { trustKeeper } from '../http-tool/trust.ts';
import { CallFailure } from './call-failure.ts';
import { connections } from './connection.ts';
import type { Connection, ConnectionSetup } from './session.ts';

/** What both kinds of servers need: templates that only secrets fill, and how their values become a session. */
interface Server {
  readonly templates: readonly (readonly [string, Template])[];
  setup(values: Readonly<Record<string, string>>): ConnectionSetup;
  close(): void;
}

/**
 * A tool behind an MCP server (docs/tools.md), one session per binding, started when it is first needed.
 *
 * @throws WritError INVALID_CONFIG that names the field of the binding
 */
export function createMcpTool(binding: McpBinding, deps: HttpToolDeps): OpenTool {
  const server = 'command' in binding.mcp ? processServer(binding.mcp) : urlServer(binding.mcp, deps);
  const needed = new Set(server.templates.flatMap(([, template]) => secretsOf(template)));
  const sessions = connections();
  const scrubbers = scrubberKeeper();

  async function prepare(request: ToolRequest, signal: AbortSignal): Promise<PreparedRequest> {
    const action = binding.actions[request.operation];
    if (action === undefined) return { kind: 'unavailable', message: 'the binding has no such action' };
    const read = await readSecrets(binding.mcp.secrets ?? {}, needed, deps.environment);
    if (!read.ok) return { kind: 'unavailable', message: read.error };
    const setup = setupOf(server, read.value);
    if (typeof setup === 'string') return { kind: 'unavailable', message: setup };
    const connection = await started(setup, signal);
    if ('kind' in connection) return connection;
    const scrub = scrubbers(read.value);
    const name = action.name ?? request.operation;
    const again = action.effect === 'none' || action.effect === 'idempotent';
    return {
      kind: 'ready',
      async send(stop, traceparent): Promise<ToolAnswer> {
        const { callTool } = await import('./call.ts');
        const call = { name, request, traceparent };
        const { sessionLost, ...answer } = await callTool(connection, call, scrub, stop);
        if (!sessionLost || !again) return answer;
        const next = await started(setup, stop);
        if ('kind' in next) return { kind: 'unsent', message: next.message };
        const { sessionLost: _, ...second } = await callTool(next, call, scrub, stop);
        return second;
      },
    };
  }

  /** The session, unless the call is stopped before; its start goes on for those who come later. */
  function started(setup: ConnectionSetup, signal: AbortSignal): Promise<Connection | { readonly kind: 'unsent'; readonly message: string }> {
    return new Promise((resolve) => {
      const stop = (): void => resolve({ kind: 'unsent', message: 'the MCP server was not ready in time' });
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      sessions
        .current(setup)
        .then(resolve, (error: unknown) =>
          resolve({ kind: 'unsent', message: error instanceof CallFailure ? error.message : 'the MCP server could not be reached' }),
        )
        .finally(() => signal.removeEventListener('abort', stop));
    });
  }

  return {
    tool: {
      timeoutMs: binding.timeout_ms ?? PROVIDER_DEFAULTS.mcp.timeoutMs,
      effects: new Map(Object.entries(binding.actions).map(([name, { effect }]) => [name, effect ?? 'once'])),
      adapter: { prepare },
    },
    async close() {
      await sessions.close();
      server.close();
    },
  };
}

function processServer(mcp: McpProcess): Server {
  const { command, args = [], cwd = '/', response_max_bytes: maxBytes = BOUNDS.toolResponse } = mcp;
  return {
    templates: templatesOf(mcp.env ?? {}, mcp, 'mcp.env'),
    setup: (env) => ({
      key: JSON.stringify(env),
      transport: async () => (await import('./server-process.ts')).serverProcess({ command, args, env, cwd, maxBytes }),
    }),
    close: () => undefined,
  };
}

function urlServer(mcp: McpUrl, { resolver = systemResolver }: HttpToolDeps): Server {
  const allow = allowList(mcp.allow ?? [], 'mcp.allow');
  const place = parseTarget(mcp.url, allow, 'mcp.url');
  if (/[{}]/.test(place.path)) throw new WritError('INVALID_CONFIG', 'mcp.url has no placeholders', { field: 'mcp.url' });
  const trust = trustKeeper(mcp.ca_file, PROVIDER_DEFAULTS.mcp.concurrency);
  const maxBytes = mcp.response_max_bytes ?? BOUNDS.toolResponse;
  return {
    templates: templatesOf(mcp.headers ?? {}, mcp, 'mcp.headers').map(([name, template]) => [freeHeader(name, `mcp.headers.${name}`), template]),
    setup(values) {
      const headers = Object.fromEntries(Object.entries(values).map(([name, value]) => [name.toLowerCase(), headerValue(value, name)]));
      return {
        key: JSON.stringify(headers),
        transport: async () => (await import('./http-transport.ts')).httpTransport({ place, allow, resolver, trust, headers, maxBytes }),
      };
    },
    close: () => trust.close(),
  };
}

function templatesOf(texts: Readonly<Record<string, string>>, { secrets = {} }: McpBinding['mcp'], field: string): (readonly [string, Template])[] {
  const names = new Set(Object.keys(secrets));
  return Object.entries(texts).map(([name, text]) => {
    const where = `${field}.${name}`;
    const template = parseTemplate(text, names, where);
    if (hasParams(template)) throw new WritError('INVALID_CONFIG', `${where} is filled in once per session: it can have secrets, no params`, { field: where });
    return [name, template];
  });
}

/** A sentence when a value is none that can be sent. */
function setupOf({ templates, setup }: Server, secrets: ReadonlyMap<string, string>): ConnectionSetup | string {
  try {
    return setup(Object.fromEntries(templates.map(([name, template]) => [name, fillText(template, { params: {}, taskId: '', secrets }) ?? ''])));
  } catch (error) {
    if (isWritError(error)) return error.message;
    throw error;
  }
}
