import { BOUNDS, type HttpBinding, PROVIDER_DEFAULTS } from '../../contracts/index.ts';
import { isWritError, WritError } from '../../core/errors.ts';
import type { BoundTool, PreparedRequest, ToolAnswer, ToolEffectClass } from '../../core/ports/index.ts';
import { allowList } from './addresses.ts';
import { answerOf } from './answer.ts';
import { exchange, type OutgoingRequest } from './exchange.ts';
import { type Rendered, render } from './render.ts';
import { type RequestTemplate, readRequest } from './request-template.ts';
import { type Resolver, resolveHost, systemResolver } from './resolve-host.ts';
import { type Scrubber, scrubberKeeper } from './scrub.ts';
import { type Environment, readSecrets } from './secrets.ts';
import { namesTarget } from './target.ts';
import { type Trust, trustKeeper } from './trust.ts';

export interface HttpToolDeps {
  readonly environment: Environment;
  /** The system's by default; tests answer with addresses of their own. */
  readonly resolver?: Resolver;
}

/** A bound tool and the connections behind it. */
export interface OpenTool {
  readonly tool: BoundTool;
  close(): Promise<void>;
}

interface Action {
  readonly request: RequestTemplate;
  readonly effect: ToolEffectClass;
  readonly dataPath: readonly string[];
}

/**
 * A tool behind HTTP (docs/tools.md): requests from declarative templates, to hosts of the binding only.
 *
 * @throws WritError INVALID_CONFIG that names the field of the binding
 */
export function createHttpTool(binding: HttpBinding, { environment, resolver = systemResolver }: HttpToolDeps): OpenTool {
  const allow = allowList(binding.http.allow ?? [], 'http.allow');
  const actions = readActions(binding, allow);
  const references = binding.http.secrets ?? {};
  const scrubbers = scrubberKeeper();
  const maxBytes = binding.http.response_max_bytes ?? BOUNDS.toolResponse;
  const keeper = trustKeeper(binding.http.ca_file, binding.concurrency ?? PROVIDER_DEFAULTS.http.concurrency);

  async function prepare(action: Action, taskId: string, params: Parameters<typeof render>[1]['params'], signal: AbortSignal): Promise<PreparedRequest> {
    const [read, trust] = await Promise.all([readSecrets(references, action.request.secrets, environment), keeper.current()]);
    if (!read.ok) return { kind: 'unavailable', message: read.error };
    if (typeof trust === 'string') return { kind: 'unavailable', message: trust };
    const rendered = renderOrSay(action.request, { params, taskId, secrets: read.value });
    if ('kind' in rendered) return rendered;
    const reached = await resolveHost(rendered.place.host, allow, resolver, signal);
    if (!reached.ok) return { kind: 'unsent', message: reached.error };

    const scrub = scrubbers(read.value);
    const outgoing: OutgoingRequest = { ...rendered, addresses: reached.value, authorities: trust.authorities, agent: agentFor(action, rendered, trust) };
    return { kind: 'ready', send: (stop, traceparent) => send(withTrace(outgoing, traceparent), { maxBytes, dataPath: action.dataPath, scrub }, stop) };
  }

  return {
    tool: {
      timeoutMs: binding.timeout_ms ?? PROVIDER_DEFAULTS.http.timeoutMs,
      effects: new Map([...actions].map(([name, { effect }]) => [name, effect])),
      adapter: {
        prepare: async ({ taskId, operation, params }, signal) => {
          const action = actions.get(operation);
          return action === undefined ? { kind: 'unavailable', message: 'the binding has no such action' } : prepare(action, taskId, params, signal);
        },
      },
    },
    close: async () => keeper.close(),
  };
}

function withTrace(outgoing: OutgoingRequest, traceparent: string | undefined): OutgoingRequest {
  return traceparent === undefined ? outgoing : { ...outgoing, headers: { ...outgoing.headers, traceparent } };
}

function readActions(binding: HttpBinding, allow: ReturnType<typeof allowList>): Map<string, Action> {
  const secrets = new Set(Object.keys(binding.http.secrets ?? {}));
  const actions = new Map<string, Action>();
  for (const [name, { request, effect, response }] of Object.entries(binding.actions)) {
    const field = `actions.${name}.request`;
    const template = readRequest(request, allow, secrets, field);
    if (!namesTarget(binding.http.hosts, template.place, 'http.hosts')) {
      throw new WritError('INVALID_CONFIG', `${field}.url is for a host or port that http.hosts does not name`, { field: `${field}.url` });
    }
    actions.set(name, { request: template, effect: effect ?? 'once', dataPath: response?.data?.split('.') ?? [] });
  }
  return actions;
}

/** What does not fit is the caller's where parameters fill it, and this host's where only secrets do. */
function renderOrSay(template: RequestTemplate, filling: Parameters<typeof render>[1]): Rendered | Exclude<PreparedRequest, { kind: 'ready' }> {
  try {
    return render(template, filling);
  } catch (error) {
    if (!isWritError(error)) throw error;
    if (error.field === undefined) return { kind: 'unavailable', message: error.message };
    return { kind: 'unfit', message: `${error.field} ${error.message}` };
  }
}

/** A `once` request has a connection of its own: one that was kept may be closing, and nobody could tell what became of the request. */
function agentFor({ effect }: Action, { place }: Rendered, { agents }: Trust): OutgoingRequest['agent'] {
  if (effect === 'once') return undefined;
  return place.secure ? agents.secure : agents.plain;
}

async function send(
  outgoing: OutgoingRequest,
  options: { maxBytes: number; dataPath: readonly string[]; scrub: Scrubber },
  signal: AbortSignal,
): Promise<ToolAnswer> {
  let end = await exchange(outgoing, signal);
  // A kept connection that the server had just closed; only requests that may be repeated leave on one.
  if (end.kind === 'unclear' && end.unheard) end = await exchange({ ...outgoing, agent: undefined }, signal);
  if (end.kind !== 'response') return { kind: end.kind, message: end.message };
  const answer = await answerOf(end.response, options);
  return answer.kind === 'unclear' && signal.aborted ? { kind: 'unclear', message: 'the tool did not answer in time, or the call was stopped' } : answer;
}
